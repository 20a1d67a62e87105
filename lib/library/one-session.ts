// Sessions for a program that leads conversations itself: created and opened in any store, without a configuration.
import { checkArguments } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { FORMAT, isSessionId } from '../journal/format.ts';
import type { DurabilityPolicy, JournalStore } from '../journal/types.ts';
import { systemIds } from '../platform/ids.ts';
import { defined } from '../platform/json.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { checkEvents } from '../session/check-events.ts';
import { createSession as create, systemMessage } from '../session/create.ts';
import { idOfName } from '../session/identify.ts';
import { openSession as open } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { estimatingCounter } from '../tokens/estimate.ts';
import { VERSION } from '../version.ts';

/** The beginning of a session. */
export interface NewSession {
  readonly provider: string;
  readonly model: string;
  /** The name of the session; its id is made of it. Default: a random UUID, and no title until the first message. */
  readonly name?: string | undefined;
  /** The system prompt. */
  readonly system?: string | undefined;
  /** The window of the model, in tokens. */
  readonly contextWindow?: number | undefined;
}

/** How a session is kept. Default of `durability`: `barrier`, which syncs at the end of each turn. */
export interface SessionSettings {
  readonly durability?: DurabilityPolicy | undefined;
  readonly log?: Log | undefined;
}

/**
 * Creates a session and opens it. Close it at the end.
 *
 * @example
 * const session = await createSession(store, { provider: 'mine', model: 'mine-1', name: 'Notes' });
 * @throws OllmError EVENT_INVALID (an argument is wrong), SESSION_EXISTS (open or not), SESSION_ID_INVALID,
 *   JOURNAL_READ_ONLY, JOURNAL_FULL
 */
export async function createSession(
  store: JournalStore,
  session: NewSession,
  settings: SessionSettings = {},
): Promise<Session> {
  const table = { store: 'JournalStore', session: { 'name?': 'text', 'system?': 'text' }, settings: 'object' } as const;
  checkArguments('createSession', table, [store, session, settings]);
  const { provider, model, name, system, contextWindow } = session;
  const { id, title } = name === undefined ? { id: systemIds.uuid(), title: undefined } : idOfName(name);
  const created = {
    provider,
    model,
    ollm: VERSION,
    ...defined({ title, contextWindow }),
  };
  checkEvents({ type: 'session.created', data: { ...created, format: FORMAT, sessionId: id } });
  if (await store.has(id)) {
    throw new OllmError('SESSION_EXISTS', `There is a session ${id} already.`, {
      hint: 'Open it with openSession, or choose another name.',
      data: { id },
    });
  }
  const prompt = system === undefined ? undefined : { text: system, tokens: estimatingCounter.count(system) };
  if (prompt !== undefined) checkEvents(systemMessage(prompt));
  return create(store, { id, created, system: prompt }, optionsOf(settings));
}

/**
 * Resumes a session, after a crash too: `session.report.notices` describes the findings. `name`: its id, or the name
 * under which `createSession` made it.
 *
 * @example
 * const session = await openSession(store, 'notes');
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_DAMAGED and others: see docs/errors.md
 */
export async function openSession(store: JournalStore, name: string, settings: SessionSettings = {}): Promise<Session> {
  const table = { store: 'JournalStore', name: 'text', settings: 'object' } as const;
  checkArguments('openSession', table, [store, name, settings]);
  const id = isSessionId(name) ? name : idOfName(name).id;
  return open(store, id, optionsOf(settings));
}

function optionsOf({ durability, log = silentLog }: SessionSettings) {
  return { log, policy: durability };
}
