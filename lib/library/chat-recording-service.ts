// Records conversations: the service of the requirements, a thin face over journals. Each message and call is on the device
// when its promise resolves; the JSON file of a session is a snapshot that `saveSession` refreshes. Where the disk does not take
// something, the program goes on: that is logged, kept in memory and stored with the next recording; saving says if it still waits.
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { redactValue } from '../environment/redact-value.ts';
import { isOllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Part } from '../messages/index.ts';
import { type Ids, systemIds } from '../platform/ids.ts';
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
import { createSession } from '../session/create.ts';
import { openSession } from '../session/open.ts';
import { planRetention } from '../session/retention.ts';
import type { Session } from '../session/session.ts';
import { summarize } from '../session/summarize.ts';
import { survey } from '../session/survey.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimateCall, estimateParts, estimatingCounter, withParts } from '../tokens/estimate.ts';
import { VERSION } from '../version.ts';

export type { SessionJson, SessionMessage, SessionMetadata, SessionToolCall };
export type MessagePart = Part;

export interface SessionSummary {
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
   * A disk that does not take it is no failure of the call: it is logged, and tried again with the next one.
   * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, EVENT_INVALID, …
   */
  recordMessage(sessionId: string, message: SessionMessage): Promise<void>;
  recordToolCall(sessionId: string, toolCall: SessionToolCall): Promise<void>;
  /** The whole conversation as it runs now; null if there is no such session. */
  getSession(sessionId: string): Promise<SessionJson | null>;
  /** Newest activity first. One that cannot be read is left out, with a warning in the log. */
  listSessions(): Promise<SessionSummary[]>;
  /** The id of the new session, a random UUID. What is then too much goes to the trash, the oldest first. */
  createSession(model: string, provider: string): Promise<string>;
  /** To the trash. */
  deleteSession(sessionId: string): Promise<void>;
  /** Those beyond the newest `keepCount`, to the trash. What is open, damaged or of a newer version stays. */
  deleteOldestSessions(keepCount: number): Promise<void>;
  /** Stores what waits, and refreshes `<id>.json`. @throws OllmError JOURNAL_FULL, … as long as the disk takes nothing */
  saveSession(sessionId: string): Promise<void>;
  /** Stores what waits, and closes the sessions that it has open. @throws OllmError if something is lost by that */
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
  readonly log?: Log | undefined;
}

const DEFAULT_MAX_SESSIONS = 100;
/** Events that wait in memory for a disk that takes them again. */
const MAX_UNSTORED = 10_000;

/**
 * @example
 * const recording = createChatRecordingService({ store: openFileStore('/home/me/notes') });
 * const id = await recording.createSession('llama3.2', 'ollama');
 * await recording.recordMessage(id, { role: 'user', parts: [{ type: 'text', text: 'Hello' }], timestamp: now });
 */
export function createChatRecordingService(settings: ChatRecordingSettings): ChatRecordingService {
  const { store, maxSessions = DEFAULT_MAX_SESSIONS, counter = estimatingCounter, ids = systemIds } = settings;
  const { redactor = createRedactor(), log = silentLog } = settings;
  /** Opened at the first recording, and kept open: opening costs more than an append. */
  const open = new Map<string, Promise<Session>>();
  /** What the disk did not take, by session. */
  const unstored = new Map<string, readonly NewOllmEvent[]>();

  return {
    async recordMessage(id, { role, parts, timestamp }) {
      const clean = redacted([...parts]);
      const text = clean.every(({ type }) => type === 'text');
      const tokens = text
        ? counter.count(clean.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
        : ({ count: estimateParts(clean), method: 'estimated' } as const);
      const data = { role, parts: clean, tokens, trusted: role !== 'assistant', ...dated(timestamp) };
      await record(id, [{ type: 'message.added', data }]);
    },
    async recordToolCall(id, { id: callId, name, args, result, timestamp }) {
      const { llmContent, returnDisplay, images } = redacted(result);
      const clean = {
        llmContent,
        ...(returnDisplay === undefined ? {} : { returnDisplay }),
        ...(images === undefined ? {} : { images }),
      };
      const given = redacted(args) as EventData<'tool.requested'>['args'];
      const request = { callId, name, tokens: estimateCall({ name, args: given }), args: given, ...dated(timestamp) };
      const tokens = withParts(counter.count(llmContent), images ?? []);
      const finish = { callId, status: 'ok', result: clean, tokens } as const;
      await record(id, [
        { type: 'tool.requested', data: request },
        { type: 'tool.finished', data: { ...finish, durationMs: 0, trusted: false } },
      ]);
    },
    async getSession(id) {
      if (!store.has(id)) return null;
      const reader = store.openReader(id);
      try {
        const { states, counts } = replay(reader, { session: sessionFold });
        return sessionJson(states.session, { damaged: counts.damaged, unknownEvents: counts.unknown });
      } finally {
        reader.close();
      }
    },
    async listSessions() {
      const rows = store.list().flatMap(({ id }) => summaryOf(id) ?? []);
      return rows.sort((a, b) => (a.lastActivity < b.lastActivity ? 1 : a.lastActivity > b.lastActivity ? -1 : 0));
    },
    async createSession(model, provider) {
      const id = ids.uuid();
      const session = await createSession(store, { id, created: { model, provider, ollm: VERSION } }, { log });
      open.set(id, Promise.resolve(session));
      await keepNewest(maxSessions);
      return id;
    },
    async deleteSession(id) {
      await release(id);
      await store.trash(id);
      unstored.delete(id);
    },
    deleteOldestSessions: keepNewest,
    async saveSession(id) {
      await flush(id);
      const session = await opened(id);
      await session.save({ snapshot: 'now' });
    },
    async close() {
      const failed: unknown[] = [];
      for (const id of [...unstored.keys()]) await flush(id).catch((error: unknown) => failed.push(error));
      for (const id of [...open.keys()]) await release(id);
      if (failed.length > 0) throw failed[0];
    },
  };

  function redacted<Value>(value: Value): Value {
    return redactValue(value, (text) => redactor.redact(text).text) as Value;
  }

  /** With keys, so that what was stored in spite of a failure is not stored twice. */
  async function record(id: string, events: readonly NewOllmEvent[]): Promise<void> {
    const waiting = unstored.get(id) ?? [];
    const all = [...waiting, ...events.map((event) => ({ ...event, id: ids.uuid() }))];
    unstored.delete(id);
    try {
      await storeNow(id, all);
    } catch (error) {
      if (!isWriteFailure(error) || all.length > MAX_UNSTORED) throw error;
      unstored.set(id, [...all, ...(unstored.get(id) ?? [])]);
      const action = 'See to the disk. It is tried again with the next recording, and when the session is saved.';
      const fields = {
        service: 'chat-recording',
        operation: 'record',
        sessionId: id,
        unstored: all.length,
        error,
        action,
      };
      log.error(fields, 'It could not be stored');
    }
  }

  /** @throws OllmError if something still cannot be stored; it is kept */
  async function flush(id: string): Promise<void> {
    const waiting = unstored.get(id);
    if (waiting === undefined) return;
    await storeNow(id, waiting);
    unstored.delete(id);
  }

  async function storeNow(id: string, events: readonly NewOllmEvent[]): Promise<void> {
    try {
      const session = await opened(id);
      await session.append(events, { durability: 'disk' });
    } catch (error) {
      // A writer that failed once takes nothing any more: the next try is one of its own.
      if (isWriteFailure(error)) await release(id).catch(() => undefined);
      throw error;
    }
  }

  function opened(id: string): Promise<Session> {
    const known = open.get(id);
    if (known !== undefined) return known;
    const opening = openSession(store, id, { log });
    open.set(id, opening);
    opening.catch(() => open.delete(id));
    return opening;
  }

  async function release(id: string): Promise<void> {
    const opening = open.get(id);
    open.delete(id);
    const session = await opening?.catch(() => undefined);
    await session?.close('exit');
  }

  async function keepNewest(keep: number): Promise<void> {
    const infos = store.list();
    if (infos.length <= keep) return;
    const surveyed = infos.map((info) => survey(store, info));
    // Those that this service has open itself are no reason to keep them.
    const candidates = surveyed.map((one) => (open.has(one.id) ? { ...one, protection: undefined } : one));
    for (const id of planRetention(candidates, { keep, now: 0 }).remove) {
      await release(id);
      await store.trash(id).catch((error: unknown) => warn('delete', id, error));
    }
  }

  function summaryOf(id: string): SessionSummary | undefined {
    try {
      const { startTime, lastActivity, model, messageCount, tokenCount } = summarize(store, id).summary;
      return { sessionId: id, startTime, lastActivity, model, messageCount, tokenCount };
    } catch (error) {
      warn('list', id, error);
      return undefined;
    }
  }

  function warn(operation: string, sessionId: string, error: unknown): void {
    const message = isOllmError(error) ? error.message : String(error);
    log.warn({ service: 'chat-recording', operation, sessionId, action: '"ollm verify" says more.' }, message);
  }
}

function isWriteFailure(error: unknown): boolean {
  return isOllmError(error) && error.exitCode === 9;
}

/** When it happened, where the caller says so in a form that is a time. */
function dated(timestamp: string): { readonly at?: string } {
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? {} : { at: new Date(ms).toISOString() };
}
