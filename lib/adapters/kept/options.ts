// The options that every adapter takes, and what follows from them: the store, and which session it is.
import type { Redactor } from '../../environment/redact.ts';
import type { ArgumentTable } from '../../errors/arguments.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import type { JournalStore } from '../../journal/types.ts';
import { systemIds } from '../../platform/ids.ts';
import { idOfName, sha256Of } from '../../session/identify.ts';
import { redactingStore } from '../../stores/redacting-store.ts';

/** The place of a conversation, and known facts about it. */
export interface AdapterOptions {
  readonly store: JournalStore;
  /** The name of the session, which is its title: the id is made of it. */
  readonly name?: string | undefined;
  /** The model that is asked, and where. Default: not known. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /**
   * Takes secrets out of everything that is stored. Default: none, so that items come back unchanged; with one, they
   * come back with marks in the place of the secrets.
   */
  readonly redactor?: Redactor | undefined;
}

/** For libraries whose conversations have ids. */
export interface ConversationOptions extends AdapterOptions {
  /** The id that the conversation has in the program, any text: the id of the session is made of it, as of a name. */
  readonly id?: string | undefined;
}

/** For `checkArguments` at the beginning of an adapter. */
export const OPTIONS: ArgumentTable = {
  ...{ store: 'JournalStore', 'redactor?': 'Redactor' },
  ...{ 'name?': 'text', 'id?': 'text', 'model?': 'text', 'provider?': 'text' },
};

const HASH_DIGITS = 16;
const MAX_STEM_LENGTH = 40;

export function storeOf({ store, redactor }: Pick<AdapterOptions, 'store' | 'redactor'>): JournalStore {
  return redactor === undefined ? store : redactingStore(store, (text) => redactor.redact(text).text);
}

/**
 * The session, and the data of its first line. Without name and id it is a new one.
 * @throws OllmError USAGE, SESSION_ID_INVALID
 */
export function sessionOf({ name, id, model = '', provider = '' }: ConversationOptions): {
  readonly id: string;
  readonly created: { readonly provider: string; readonly model: string; readonly title?: string | undefined };
} {
  if (name !== undefined && id !== undefined) {
    throw new OllmError('USAGE', 'A session is found by its name or by an id, not by both.', {
      hint: 'Leave one of them out. A name is the title, too.',
    });
  }
  const created = { provider, model };
  if (name === undefined) return { id: id === undefined ? systemIds.uuid() : sessionIdOf(id), created };
  const named = idOfName(name);
  return { id: named.id, created: { ...created, title: named.title } };
}

/** The id of the session of a conversation that has this id in the program: any text, where case counts. */
export function sessionIdOf(id: string): string {
  const digits = sha256Of(id).slice(0, HASH_DIGITS);
  try {
    const named = idOfName(id).id;
    return named === id ? id : `${named.slice(0, MAX_STEM_LENGTH).replace(/-$/, '')}-${digits}`;
  } catch (error) {
    if (!isOllmError(error, 'SESSION_ID_INVALID')) throw error;
    return `session-${digits}`;
  }
}
