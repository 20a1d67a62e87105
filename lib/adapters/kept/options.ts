// The options that every adapter takes, and the store that follows from them.
import type { Redactor } from '../../environment/redact.ts';
import type { JournalStore } from '../../journal/types.ts';
import { redactingStore } from '../../stores/redacting-store.ts';

/** The place of a conversation, and known facts about it. */
export interface AdapterOptions {
  readonly store: JournalStore;
  /** The name of the session: its id is made of it. */
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

export function storeOf({ store, redactor }: Pick<AdapterOptions, 'store' | 'redactor'>): JournalStore {
  return redactor === undefined ? store : redactingStore(store, (text) => redactor.redact(text).text);
}
