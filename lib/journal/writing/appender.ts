// Appends lines to one open journal: the writer of writer.ts, once opening is done. Never changes a byte that was
// acknowledged. Appends of one tick are one write, and those that wait for the device share one sync. An append is
// acknowledged when it is as safe as was asked for, and rejected when that cannot be known.
import { wrongArgument } from '../../errors/arguments.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { MAX_WRITTEN_LINE_BYTES, NO_PREVIOUS } from '../format.ts';
import { headOf, LineBuffer, lineBytes, type NewLine, toJson } from '../line/buffer.ts';
import { eventOf } from '../line/codec.ts';
import { validateEvent } from '../line/storable.ts';
import type { KnownEvent } from '../reading/survey.ts';
import type {
  Anchor,
  AppendOptions,
  DataSeal,
  DurabilityLevel,
  DurabilityPolicy,
  JournalWriter,
  NewEvent,
  OpeningReport,
  Receipt,
  StoredEvent,
} from '../types.ts';
import type { Committer } from './append-file.ts';
import { KnownIds, type PreparedEvent } from './known-ids.ts';

/** Before anything is known to be on the device. */
export const NOTHING: Anchor = { seq: -1, offset: 0, xxh64: NO_PREVIOUS };

/** The last moment that a `ts` can hold. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Where an appender takes up. */
export interface AppenderStart {
  readonly id: string;
  readonly policy: DurabilityPolicy;
  readonly report: OpeningReport;
  readonly committer: Committer;
  readonly lock: { close(): void | Promise<void> };
  /** The last line that holds. */
  readonly head: Anchor;
  readonly nextSeq: number;
  /** The time of the last line, in milliseconds since 1970. */
  readonly lastMs: number;
  readonly seal?: DataSeal | undefined;
}

/** An append that waits for its write, or for its sync. */
interface Pending {
  readonly events: readonly PreparedEvent[];
  readonly level: DurabilityLevel;
  readonly resolve: (receipts: readonly Receipt[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting {
  /** Bytes that must be on the device. */
  readonly offset: number;
  readonly receipts: readonly Receipt[];
  readonly pending: Pending;
}

/** What a write is going to hold, until it is known to have worked. */
interface Draft {
  readonly acknowledged: { readonly pending: Pending; readonly receipts: Receipt[]; readonly end: number }[];
  /** Ends of lines within the buffer, one list for each append that writes any. */
  readonly batches: number[][];
  readonly ids: Map<string, KnownEvent>;
  head: Anchor;
  nextSeq: number;
}

export class Appender implements JournalWriter {
  readonly id: string;
  readonly policy: DurabilityPolicy;
  readonly report: OpeningReport;

  readonly #committer: Committer;
  readonly #ids: KnownIds;
  readonly #lock: AppenderStart['lock'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<(events: readonly StoredEvent[]) => void>();
  readonly #buffer = new LineBuffer();
  readonly #seal: DataSeal | undefined;

  #head: Anchor;
  #synced: Anchor = NOTHING;
  #nextSeq: number;
  #lastMs: number;
  #lastTs = '';

  #queue: Pending[] = [];
  /** Events that were accepted and have no line yet. */
  #unwritten = 0;
  /** Set until everything is written that waits for that. */
  #flushing: Promise<void> | undefined;
  #waiting: Waiting[] = [];
  #syncing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(start: AppenderStart, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.id = start.id;
    this.policy = start.policy;
    this.report = start.report;
    this.#committer = start.committer;
    this.#lock = start.lock;
    this.#head = start.head;
    this.#nextSeq = start.nextSeq;
    this.#lastMs = start.lastMs;
    this.#seal = start.seal;
    this.#ids = new KnownIds(start.committer, start.seal);
    this.#clock = clock;
    this.#log = log;
  }

  get head(): Anchor {
    return this.#head;
  }

  get synced(): Anchor {
    return this.#synced;
  }

  get failure(): OllmError | undefined {
    return this.#committer.failure;
  }

  get stamp(): string | undefined {
    return this.#committer.stamp;
  }

  append(events: NewEvent | readonly NewEvent[], options?: AppendOptions): Promise<readonly Receipt[]> {
    if (this.#closing) return Promise.reject(this.#closedError());
    if (this.failure) return Promise.reject(this.failure);
    try {
      const prepared = (Array.isArray(events) ? events : [events]).map(prepare);
      this.#refuseTooLarge(prepared);
      return this.#enqueue(prepared, this.#levelFor(options?.durability));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Writes line 0, and makes it as safe as the policy says before the journal is handed out.
   * `syncName` does the same for the file's name.
   */
  async appendFirst(event: NewEvent, syncName: () => Promise<void>): Promise<void> {
    await this.append(event, { durability: 'process' });
    if (this.policy === 'process') return;
    await this.#committer.sync('all');
    await syncName();
    this.#synced = this.#head;
  }

  async sync(): Promise<void> {
    if (this.#closing) throw this.#closedError();
    if (this.failure) throw this.failure;
    await this.#enqueue([], 'disk');
  }

  subscribe(listener: (events: readonly StoredEvent[]) => void): () => void {
    // A function of its own, so that subscribing the same listener twice is undone one at a time.
    const own = (events: readonly StoredEvent[]) => listener(events);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    try {
      // Appended events are written first; nothing can follow it.
      await this.#flushing;
      if (this.#syncing) await this.#syncing;
      if (this.policy !== 'process' && !this.failure && this.#synced.offset < this.#committer.length) {
        await this.#committer.sync();
        this.#synced = this.#head;
      }
    } finally {
      await this.#committer.close();
      await this.#lock.close();
    }
  }

  /** A line must fit into a reader's memory, and a batch, which is stored whole or not at all, where it goes. */
  #refuseTooLarge(events: readonly PreparedEvent[]): void {
    const { limit } = this.#committer;
    const mostBytes = events.reduce((sum, event) => sum + mostBytesOf(event), 0);
    if (mostBytes <= Math.min(MAX_WRITTEN_LINE_BYTES, limit?.bytes ?? MAX_WRITTEN_LINE_BYTES)) return;
    const ts = this.#timestamp();
    let batchBytes = 0;
    for (const [index, event] of events.entries()) {
      const bytes = lineBytes(this.#line(event, this.#nextSeq + this.#unwritten + index, ts));
      if (bytes > MAX_WRITTEN_LINE_BYTES) throw tooLarge(event, bytes);
      batchBytes += bytes;
    }
    if (limit && batchBytes > limit.bytes) throw limit.refusal(events[0]!.type, batchBytes);
  }

  #line({ type, turn, id, ignorable, json }: PreparedEvent, seq: number, ts: string): NewLine {
    const line: NewLine = { seq, ts, type, turn, id, ignorable, json };
    if (this.#seal === undefined) return line;
    return { ...line, json: this.#seal.seal(json, { seq, type, head: headOf(line) }) };
  }

  #levelFor(asked: DurabilityLevel | undefined): DurabilityLevel {
    switch (this.policy) {
      case 'always':
        return 'disk';
      case 'barrier':
        return asked ?? 'process';
      case 'process':
        return 'process';
    }
  }

  #enqueue(events: readonly PreparedEvent[], level: DurabilityLevel): Promise<readonly Receipt[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ events, level, resolve, reject });
      this.#unwritten += events.length;
      this.#flushing ??= this.#flush();
    });
  }

  /** Writes all waiting events in one write, and then those that came meanwhile. */
  async #flush(): Promise<void> {
    // All appends of this tick are one write.
    await undefined;
    while (this.#queue.length > 0) {
      const queue = this.#queue;
      this.#queue = [];
      await this.#write(queue);
      for (const { events } of queue) this.#unwritten -= events.length;
    }
    this.#flushing = undefined;
  }

  async #write(queue: readonly Pending[]): Promise<void> {
    try {
      if (this.failure) throw this.failure;
      await this.#ids.lookUp(queue.flatMap(({ events }) => events));
      const draft = this.#draft(queue);
      if (this.#buffer.length > 0) {
        const ends = draft.batches.map((lineEnds) => lineEnds.at(-1)!);
        const level = await this.#committer.write(this.#buffer.bytes, ends);
        if (level === 'disk') this.#synced = draft.head;
      }
      this.#commit(draft);
    } catch (error) {
      await this.#giveUp(queue, error);
    } finally {
      this.#buffer.clear();
    }
  }

  /** Writes the lines into the buffer. Nothing of the writer changes before they are in the file. */
  #draft(queue: readonly Pending[]): Draft {
    const draft: Draft = {
      acknowledged: [],
      batches: [],
      ids: new Map(),
      head: this.#head,
      nextSeq: this.#nextSeq,
    };
    const ts = this.#timestamp();
    /** Events to store in this write, by id. */
    const given = new Map<string, PreparedEvent>();
    for (const pending of queue) {
      const conflict = this.#ids.conflictIn(pending.events, given);
      if (conflict) {
        pending.reject(conflict);
        continue;
      }
      for (const event of pending.events)
        if (event.id !== undefined && !given.has(event.id)) given.set(event.id, event);
      const receipts: Receipt[] = [];
      const ends: number[] = [];
      let end = pending.events.length === 0 ? draft.head.offset : 0;
      for (const event of pending.events) {
        const known = (event.id === undefined ? undefined : draft.ids.get(event.id)) ?? this.#ids.get(event.id);
        if (known) {
          receipts.push({ seq: known.seq, xxh64: known.xxh64, duplicate: true });
          end = Math.max(end, known.end);
          continue;
        }
        const seq = draft.nextSeq++;
        const xxh64 = this.#buffer.add(this.#line(event, seq, ts), draft.head.xxh64);
        ends.push(this.#buffer.length);
        end = this.#committer.length + this.#buffer.length;
        draft.head = { seq, offset: end, xxh64 };
        if (event.id !== undefined) draft.ids.set(event.id, { seq, xxh64, end });
        receipts.push({ seq, xxh64, duplicate: false });
      }
      if (ends.length > 0) draft.batches.push(ends);
      draft.acknowledged.push({ pending, receipts, end });
    }
    return draft;
  }

  /** The lines are in the file: resolves the appends that wait for that, and lets the others wait for the device. */
  #commit(draft: Draft): void {
    this.#head = draft.head;
    this.#nextSeq = draft.nextSeq;
    this.#ids.add(draft.ids);
    for (const { pending, receipts, end } of draft.acknowledged) {
      if (pending.level === 'process' || end <= this.#synced.offset) pending.resolve(receipts);
      else this.#waiting.push({ offset: end, receipts, pending });
    }
    this.#syncWaiting();
    if (this.#listeners.size > 0) this.#publish(draft.batches);
  }

  #publish(batches: readonly number[][]): void {
    const buffer = Buffer.from(this.#buffer.bytes);
    const base = this.#committer.length - buffer.length;
    let start = 0;
    for (const ends of batches) {
      const events: StoredEvent[] = [];
      for (const end of ends) {
        const stop = end - 1;
        const span = { buffer, start, stop, offset: base + start, end: base + end };
        events.push(eventOf(span)!);
        start = end;
      }
      for (const listener of [...this.#listeners]) this.#notify(listener, events);
    }
  }

  #notify(listener: (events: readonly StoredEvent[]) => void, events: readonly StoredEvent[]): void {
    try {
      listener(events);
    } catch (error) {
      // The events are stored, whatever a listener makes of them.
      this.#log.error(
        { service: 'journal', operation: 'publish', id: this.id, error },
        'A listener failed at stored events.',
      );
    }
  }

  /** Rejects appends. Those that did not fit are rejected once it is certain that nothing of them stayed. */
  async #giveUp(queue: readonly Pending[], error: unknown): Promise<void> {
    let reason = error;
    try {
      if (isOllmError(error, 'JOURNAL_FULL')) await this.#committer.sync('all');
    } catch (failure) {
      reason = failure;
    }
    for (const { reject } of queue) reject(reason);
    this.#rejectWaiting();
  }

  /** Syncs once for all waiting appends; later ones share the next sync. */
  #syncWaiting(): void {
    if (this.#syncing || this.#waiting.length === 0) return;
    this.#syncing = this.#syncUntilNoneWaits();
  }

  async #syncUntilNoneWaits(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const target = this.#head;
        try {
          await this.#committer.sync();
        } catch {
          this.#rejectWaiting();
          return;
        }
        this.#synced = target;
        const waiting = this.#waiting;
        this.#waiting = waiting.filter(({ offset }) => offset > target.offset);
        for (const { offset, pending, receipts } of waiting) if (offset <= target.offset) pending.resolve(receipts);
      }
    } finally {
      // Without an await after the last check: the next append must find that no sync is under way.
      this.#syncing = undefined;
    }
  }

  #rejectWaiting(): void {
    if (!this.failure) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { pending } of waiting) pending.reject(this.failure);
  }

  async knows(id: string): Promise<boolean> {
    if (this.#closing) throw this.#closedError();
    return (await this.#ids.all()).has(id);
  }

  /** Now, but never before the line before. */
  #timestamp(): string {
    const now = Math.min(Math.max(Math.trunc(this.#clock.now()), 0), LAST_MS);
    if (this.#lastTs === '' || now > this.#lastMs) {
      this.#lastMs = Math.max(now, this.#lastMs);
      this.#lastTs = new Date(this.#lastMs).toISOString();
    }
    return this.#lastTs;
  }

  #closedError(): OllmError {
    return new OllmError('JOURNAL_CLOSED', `Journal ${this.id} was closed; nothing was appended.`, {
      hint: 'Open the session again to write to it.',
      data: { id: this.id },
    });
  }
}

function prepare(event: NewEvent): PreparedEvent {
  if (typeof event !== 'object' || event === null) throw wrongArgument('append', 'events', 'an event', event);
  validateEvent(event);
  const { type, turn, id, ignorable, data } = event;
  return { type, turn, id, ignorable, json: toJson(data) };
}

/** Three bytes is the most that a character takes, and sealing makes four of them. */
function mostBytesOf({ json, id = '' }: PreparedEvent): number {
  return (json.length + id.length) * 4 + 4096;
}

function tooLarge({ type }: PreparedEvent, bytes: number): OllmError {
  return new OllmError(
    'EVENT_TOO_LARGE',
    `The event ${type} would make a line of ${bytes} bytes; ${MAX_WRITTEN_LINE_BYTES} is the most.`,
    { hint: 'Nothing was written. Put the payload into a blob and name that.', data: { type, bytes } },
  );
}
