// Records conversations in journals. Each message and call is on the device when its promise resolves; the JSON file of
// a session is a snapshot that `saveSession` refreshes. Where the disk does not take something, the program continues:
// that is logged, kept in memory and stored with the next recording.
import { hash } from 'node:crypto';
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { redactValue } from '../environment/redact-value.ts';
import { checkArguments, checkAsyncCalls } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import type { EventData } from '../events/index.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Part } from '../messages/index.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Ids, systemIds } from '../platform/ids.ts';
import { canonicalJson, defined } from '../platform/json.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { replay } from '../projections/replay.ts';
import {
  type SessionJson,
  type SessionMessage,
  type SessionMetadata,
  type SessionToolCall,
  sessionFold,
  sessionJson,
} from '../projections/session.ts';
import { firstEvent } from '../session/fork.ts';
import { pruneStore } from '../session/prune.ts';
import { summarize } from '../session/summarize.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimateCall, estimateParts, estimatingCounter, withParts } from '../tokens/estimate.ts';
import { VERSION } from '../version.ts';
import { type NewRecordedEvent, OpenSessions, type RecordedEvent } from './open-sessions.ts';
import { redactedLog } from './redacted-log.ts';

export type { SessionJson, SessionMessage, SessionMetadata, SessionToolCall };
export type MessagePart = Part;

export interface RecordedSummary {
  readonly sessionId: string;
  /** RFC 3339, as is `lastActivity`. */
  readonly startTime: string;
  readonly lastActivity: string;
  readonly model: string;
  readonly messageCount: number;
  readonly tokenCount: number;
}

export interface ChatRecordingService {
  /**
   * Where the disk does not take the message, that is logged, and it is stored with the next one.
   * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, EVENT_INVALID, …
   */
  recordMessage(sessionId: string, message: SessionMessage): Promise<void>;
  /**
   * As `recordMessage`. The same call again (its id, name, arguments, result and time) is not stored a second time; one
   * that differs is another call, since many models count their calls from the beginning in each answer.
   */
  recordToolCall(sessionId: string, toolCall: SessionToolCall): Promise<void>;
  /**
   * The whole conversation, including messages that are not stored yet; null if there is no such session.
   * @throws OllmError JOURNAL_EMPTY if nothing in its journal can be read
   */
  getSession(sessionId: string): Promise<SessionJson | null>;
  /** Newest activity first. One that cannot be read is left out, with a warning in the log. */
  listSessions(): Promise<RecordedSummary[]>;
  /** The id of the new session, a random UUID. Sessions beyond `maxSessions` go to the trash, the oldest first. */
  createSession(model: string, provider: string): Promise<string>;
  /** Moves the session to the trash. @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED */
  deleteSession(sessionId: string): Promise<void>;
  /** Moves those beyond the newest `keepCount` to the trash. Open, damaged and newer ones stay. */
  deleteOldestSessions(keepCount: number): Promise<void>;
  /**
   * Stores waiting messages, and refreshes `<id>.json`. @throws OllmError JOURNAL_FULL, … as long as the disk refuses
   * writes
   */
  saveSession(sessionId: string): Promise<void>;
  /** Stores waiting messages, and closes its open sessions. @throws OllmError if something is lost by that */
  close(): Promise<void>;
}

export interface ChatRecordingSettings {
  readonly store: JournalStore;
  /** How many sessions are kept when one is made. Default: 100. */
  readonly maxSessions?: number | undefined;
  readonly counter?: TokenCounter | undefined;
  /** Default: known shapes of secrets are taken out. */
  readonly redactor?: Redactor | undefined;
  readonly ids?: Ids | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

const DEFAULT_MAX_SESSIONS = 100;

/**
 * @example
 * const recording = createChatRecordingService({ store: openFileStore('/home/me/notes') });
 * const id = await recording.createSession('llama3.2', 'ollama');
 * await recording.recordMessage(id, { role: 'user', parts: [{ type: 'text', text: 'Hello' }], timestamp: now });
 */
export function createChatRecordingService(settings: ChatRecordingSettings): ChatRecordingService {
  checkArguments('createChatRecordingService', { settings: { store: 'JournalStore' } }, [settings]);
  const { store, maxSessions = DEFAULT_MAX_SESSIONS, counter = estimatingCounter } = settings;
  const { ids = systemIds, clock = systemClock, redactor = createRedactor() } = settings;
  const log = redactedLog(settings.log ?? silentLog, redactor);
  const sessions = new OpenSessions({ store, ids, clock, log });
  const redacted = <Value>(value: Value): Value => redactValue(value, (text) => redactor.redact(text).text) as Value;

  const service: ChatRecordingService = {
    async recordMessage(id, message) {
      requireObject(message, 'a message');
      await sessions.append(id, [messageEvent(redacted(message), counter)]);
    },
    async recordToolCall(id, call) {
      requireObject(call, 'a tool call');
      requireObject(call.result, 'the result of a tool call');
      await sessions.append(id, callEvents(redacted(call), counter));
    },
    async getSession(id) {
      if (!(await store.has(id))) return null;
      using reader = store.openReader(id);
      const { states, counts } = await replay(reader, { session: sessionFold });
      // Without its first line there is no session: the rest does not name its owner.
      if (counts.events === 0 && sessions.waiting(id).length === 0) await firstEvent(reader);
      const state = sessions.waiting(id).reduce(sessionFold.apply, states.session);
      return sessionJson(state, { damaged: counts.damaged, unknownEvents: counts.unknown });
    },
    async listSessions() {
      const rows: RecordedSummary[] = [];
      for (const id of await store.ids()) rows.push(...(await summaryOf(id)));
      return rows.sort((a, b) => (a.lastActivity < b.lastActivity ? 1 : a.lastActivity > b.lastActivity ? -1 : 0));
    },
    async createSession(model, provider) {
      const id = ids.uuid();
      await sessions.create({ id, created: { model, provider, ollm: VERSION } });
      await keepNewest(maxSessions);
      return id;
    },
    async deleteSession(id) {
      await sessions.release(id);
      await store.trash(id);
      sessions.forget(id);
    },
    deleteOldestSessions: keepNewest,
    saveSession: (id) => sessions.save(id),
    close: () => sessions.close(),
  };
  const one = { sessionId: 'text' } as const;
  return checkAsyncCalls(service, {
    ...{ recordMessage: one, recordToolCall: one, getSession: one, deleteSession: one, saveSession: one },
    createSession: { model: 'text', provider: 'text' },
    deleteOldestSessions: { keepCount: 'number' },
  });

  async function keepNewest(keep: number): Promise<void> {
    const { spared } = await pruneStore(store, { keep, now: clock.now(), own: sessions });
    for (const { id, reason } of spared) warn('delete', id, reason);
  }

  /** Empty for a session that cannot be read. */
  async function summaryOf(id: string): Promise<RecordedSummary[]> {
    try {
      const { events, summary } = await summarize(store, id, { renews: true });
      if (events === 0 && sessions.waiting(id).length === 0) {
        warn('list', id, 'Nothing in its journal can be read');
        return [];
      }
      const { startTime, lastActivity, model, messageCount, tokenCount } = summary;
      const row = { sessionId: id, startTime, lastActivity, model, messageCount, tokenCount };
      return [withWaiting(row, sessions.waiting(id))];
    } catch (error) {
      warn('list', id, error instanceof Error ? error.message : String(error));
      return [];
    }
  }

  function warn(operation: string, sessionId: string, message: string): void {
    log.warn({ service: 'chat-recording', operation, sessionId, action: '"ollm verify" says more.' }, message);
  }
}

function messageEvent({ role, parts, timestamp }: SessionMessage, counter: TokenCounter): NewRecordedEvent {
  const given = (Array.isArray(parts) ? [...parts] : parts) as Part[];
  if (Array.isArray(parts)) for (const part of parts) requireObject(part, 'a part of a message');
  const data = {
    role,
    parts: given,
    tokens: tokensOf(given, counter),
    trusted: role !== 'assistant',
    ...dated(timestamp),
  };
  return { type: 'message.added', data };
}

function tokensOf(parts: readonly Part[], counter: TokenCounter): EventData<'message.added'>['tokens'] {
  // A value that is not a list of parts is refused when it is stored.
  if (!Array.isArray(parts)) return { count: 0, method: 'unknown' };
  const texts = parts.flatMap((part: Part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return counter.count(texts.join('\n'));
  return { count: estimateParts(parts), method: 'estimated' };
}

function callEvents(call: SessionToolCall, counter: TokenCounter) {
  const { id: callId, name, args, result, timestamp } = call;
  const key = keyOf(call);
  const { llmContent, returnDisplay, images } = result;
  const given = args as EventData<'tool.requested'>['args'];
  const request = { callId, name, tokens: estimateCall({ name, args: given }), args: given, ...dated(timestamp) };
  const kept = {
    llmContent,
    ...defined({ returnDisplay, images }),
  };
  const tokens = withParts(counter.count(String(llmContent)), images ?? []);
  const finish = { callId, status: 'ok', result: kept, tokens, durationMs: 0, trusted: false } as const;
  return [
    { type: 'tool.requested', ...defined({ id: key }), data: request },
    { type: 'tool.finished', ...(key === undefined ? {} : { id: `${key}-result` }), data: finish },
  ] as const;
}

/** Undefined for one that JSON cannot hold: it is refused when it is stored. */
function keyOf(call: SessionToolCall): string | undefined {
  try {
    return `call-${hash('sha256', canonicalJson(call))}`;
  } catch {
    return undefined;
  }
}

function withWaiting(row: RecordedSummary, waiting: readonly RecordedEvent[]): RecordedSummary {
  const said = waiting.filter(({ type }) => type === 'message.added').length;
  const tokens = waiting.map(({ type, data }) => (type === 'tool.requested' ? 0 : (data.tokens?.count ?? 0)));
  return {
    ...row,
    lastActivity: [row.lastActivity, ...waiting.map(({ ts }) => ts)].sort().at(-1) ?? row.lastActivity,
    messageCount: row.messageCount + said,
    tokenCount: tokens.reduce((sum, count) => sum + count, row.tokenCount),
  };
}

/** @throws OllmError EVENT_INVALID */
function requireObject(value: unknown, what: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw new OllmError('EVENT_INVALID', `This is not ${what}: ${value === null ? 'null' : typeof value}.`, {
    hint: 'The types of ChatRecordingService say what it needs.',
  });
}

/** When it happened, if the caller gives a time. */
function dated(timestamp = ''): { readonly at?: string } {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? {} : { at: new Date(ms).toISOString() };
}
