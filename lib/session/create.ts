// A new session: its first line, and its system prompt if it has one. Both are on the device when it is handed out.
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { DurabilityPolicy, JournalStore, JournalWriter } from '../journal/types.ts';
import type { TokenCount } from '../messages/index.ts';
import type { Log } from '../platform/log.ts';
import type { LoopConfig } from '../projections/loop.ts';
import { liveSession } from './live-session.ts';
import type { ResumeReport, Session } from './session.ts';
import { createKeeper, followJournal } from './states.ts';

/** What holds for a session as long as it is open. */
export interface SessionOptions {
  readonly log: Log;
  readonly policy?: DurabilityPolicy | undefined;
  readonly loop?: LoopConfig | undefined;
}

/** The data of the first line; the journal adds format, id and process. */
export type CreatedData = Omit<EventData<'session.created'>, 'format' | 'sessionId' | 'pid' | 'host' | 'command'>;

export interface SystemPrompt {
  readonly text: string;
  readonly tokens: TokenCount;
}

export interface CreateRequest {
  readonly id: string;
  readonly created: CreatedData;
  readonly system?: SystemPrompt | undefined;
}

/** @throws OllmError SESSION_EXISTS, SESSION_ID_INVALID, JOURNAL_READ_ONLY, JOURNAL_FULL */
export async function createSession(
  store: JournalStore,
  { id, created, system }: CreateRequest,
  options: SessionOptions,
): Promise<Session> {
  const writer = await store.create(id, created, { policy: options.policy });
  try {
    const session = await sessionOf(store, writer, options);
    if (system) await session.append(systemMessage(system), { durability: 'disk' });
    return session;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

export function systemMessage({ text, tokens }: SystemPrompt): NewOllmEvent {
  return {
    type: 'message.added',
    data: { role: 'system', parts: [{ type: 'text', text }], tokens, trusted: true },
  };
}

async function sessionOf(store: JournalStore, writer: JournalWriter, { loop, log }: SessionOptions): Promise<Session> {
  const keeper = createKeeper({ loop });
  await followJournal(keeper, store, writer.id);
  const report: ResumeReport = { created: true, damage: [], notices: [] };
  return liveSession({ store, writer, keeper, report, log });
}
