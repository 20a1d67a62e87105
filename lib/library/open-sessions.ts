// The sessions that a service has open. Opening costs more than an append, so a session stays open after its first one.
// Events that the disk does not take wait in memory, and are stored before the next ones. Each session has one store at
// a time, so that what fails is not overtaken.
import { isOllmError } from '../errors/index.ts';
import type { NewOllmEvent, OllmEventOf } from '../events/index.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { Lanes } from '../platform/lanes.ts';
import type { Log } from '../platform/log.ts';
import { kept } from '../platform/once.ts';
import { type CreateRequest, createSession } from '../session/create.ts';
import { openSession } from '../session/open.ts';
import type { Session } from '../session/session.ts';

interface OpenSessionsMeans {
  readonly store: JournalStore;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

export type RecordedEvent = OllmEventOf<'message.added' | 'tool.requested' | 'tool.finished'>;
/** With an id, it is stored once, however often it is handed in. */
export type NewRecordedEvent = Extract<NewOllmEvent, { readonly type: RecordedEvent['type'] }> & {
  readonly id?: string | undefined;
};

interface Waiting {
  /** With an id, so that an event that was stored in spite of a failure is not stored twice. */
  readonly event: NewRecordedEvent & { readonly id: string };
  /** When it was handed in. */
  readonly ts: string;
}

const MAX_WAITING = 10_000;

export class OpenSessions {
  readonly #means: OpenSessionsMeans;
  readonly #open = new Map<string, Promise<Session>>();
  readonly #waiting = new Map<string, readonly Waiting[]>();
  /** The lane of each session that is being stored. */
  readonly #lanes = new Map<string, Lanes>();

  constructor(means: OpenSessionsMeans) {
    this.#means = means;
  }

  async create(request: CreateRequest): Promise<void> {
    const { store, log } = this.#means;
    this.#open.set(request.id, Promise.resolve(await createSession(store, request, { log })));
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** The events that are not stored yet, as they will follow those that are. */
  waiting(id: string): readonly RecordedEvent[] {
    const seq = Number.MAX_SAFE_INTEGER - MAX_WAITING;
    const waiting = this.#waiting.get(id) ?? [];
    return waiting.map(({ event, ts }, index) => ({ ...event, seq: seq + index, ts }) as RecordedEvent);
  }

  /** A disk that does not take the events is logged, not thrown. @throws OllmError for any other reason */
  async append(id: string, events: readonly NewRecordedEvent[]): Promise<void> {
    const { ids, clock, log } = this.#means;
    const ts = new Date(clock.now()).toISOString();
    const added = events.map((event) => ({ event: { ...event, id: event.id ?? ids.uuid() }, ts }));
    await this.#inTurn(id, async () => {
      const waited = this.#waiting.get(id) ?? [];
      const isWaiting = (eventId: string) => waited.some(({ event }) => event.id === eventId);
      const all = [...waited, ...added.filter(({ event }) => !isWaiting(event.id))];
      this.#waiting.delete(id);
      try {
        await this.#store(id, all);
      } catch (error) {
        const mayWait = isWriteFailure(error) && all.length <= MAX_WAITING;
        if (mayWait || waited.length > 0) this.#waiting.set(id, mayWait ? all : waited);
        if (!mayWait) throw error;
        const action = 'See to the disk. It is tried again with the next recording, and when the session is saved.';
        const fields = { service: 'chat-recording', operation: 'record', sessionId: id, unstored: all.length };
        log.error({ ...fields, error, action }, 'It could not be stored');
      }
    });
  }

  /** Stores waiting events, and refreshes the snapshot. @throws OllmError if something still cannot be stored */
  async save(id: string): Promise<void> {
    await this.#flush(id);
    const session = await this.#opened(id);
    await session.save({ snapshot: 'now' });
  }

  /** Closes the session, if it is open here. */
  async release(id: string): Promise<void> {
    const opening = this.#open.get(id);
    this.#open.delete(id);
    const session = await opening?.catch(() => undefined);
    await session?.close('exit');
  }

  /** Drops waiting events for a session that is gone. */
  forget(id: string): void {
    this.#waiting.delete(id);
  }

  /** Stores waiting events, and closes all. @throws OllmError if something could not be stored */
  async close(): Promise<void> {
    const failed: unknown[] = [];
    for (const id of [...this.#waiting.keys()]) await this.#flush(id).catch((error: unknown) => failed.push(error));
    for (const id of [...this.#open.keys()]) await this.release(id);
    if (failed.length > 0) throw failed[0];
  }

  #flush(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const waiting = this.#waiting.get(id);
      if (waiting === undefined) return;
      await this.#store(id, waiting);
      this.#waiting.delete(id);
    });
  }

  async #inTurn(id: string, work: () => Promise<void>): Promise<void> {
    const lane = kept(this.#lanes, id, () => new Lanes(1));
    try {
      await lane.run(work);
    } finally {
      if (lane.isIdle) this.#lanes.delete(id);
    }
  }

  async #store(id: string, waiting: readonly Waiting[]): Promise<void> {
    try {
      const session = await this.#opened(id);
      await session.append(
        waiting.map(({ event }) => event),
        { durability: 'disk' },
      );
    } catch (error) {
      // A writer that failed once takes nothing more: the next try opens the journal again.
      if (isWriteFailure(error)) await this.release(id).catch(() => undefined);
      throw error;
    }
  }

  #opened(id: string): Promise<Session> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const { store, log } = this.#means;
    const opening = openSession(store, id, { log });
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return opening;
  }
}

function isWriteFailure(error: unknown): boolean {
  return isOllmError(error) && error.exitCode === 9;
}
