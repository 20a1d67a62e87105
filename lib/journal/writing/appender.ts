// Appends lines to one open journal: the writer of writer.ts, once opening is done. Never changes a byte that was
// acknowledged. Appends of one tick are one write, and those that wait for the device share one sync. An append is
// acknowledged when it is as safe as was asked for, and rejected when that cannot be known.
import { isDeepStrictEqual } from 'node:util';
import { OllmError } from '../../errors/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { MAX_WRITTEN_LINE_BYTES, NO_PREVIOUS } from '../format.ts';
import { LineBuffer, lineBytes, type NewLine, toJson } from '../line/buffer.ts';
import { eventOf } from '../line/codec.ts';
import { validateEvent } from '../line/validate.ts';
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
import type { AppendTarget } from './append-file.ts';

/** Before anything is known to be on the device. */
export const NOTHING: Anchor = { seq: -1, offset: 0, xxh64: NO_PREVIOUS };

/** The last moment that a `ts` can hold. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Where an appender takes up. */
export interface AppenderStart {
  readonly id: string;
  readonly policy: DurabilityPolicy;
  readonly report: OpeningReport;
  readonly file: AppendTarget;
  readonly lock: { close(): void | Promise<void> };
  /** The last line that holds. */
  readonly head: Anchor;
  readonly nextSeq: number;
  /** The time of the last line, in milliseconds since 1970. */
  readonly lastMs: number;
  readonly seal?: DataSeal | undefined;
}

/** An event that may be stored, with its data as JSON. */
type PreparedEvent = Omit<NewLine, 'seq' | 'ts'>;

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

  readonly #file: AppendTarget;
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
  #ids: Map<string, KnownEvent> | undefined;
  /** Stored events that have an id of what is to be written, by that id. */
  readonly #named = new Map<string, StoredEvent | undefined>();

  #queue: Pending[] = [];
  #queuedEvents = 0;
  #isFlushDue = false;
  /** Set while a write that did not fit is being taken back. */
  #restoring: Promise<void> | undefined;
  /** Set while a write that is acknowledged later is under way. */
  #writing: Promise<void> | undefined;
  #waiting: Waiting[] = [];
  #syncing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(start: AppenderStart, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.id = start.id;
    this.policy = start.policy;
    this.report = start.report;
    this.#file = start.file;
    this.#lock = start.lock;
    this.#head = start.head;
    this.#nextSeq = start.nextSeq;
    this.#lastMs = start.lastMs;
    this.#seal = start.seal;
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
    return this.#file.failure;
  }

  append(events: NewEvent | readonly NewEvent[], { durability }: AppendOptions = {}): Promise<readonly Receipt[]> {
    if (this.#closing) return Promise.reject(this.#closedError());
    if (this.failure) return Promise.reject(this.failure);
    try {
      const prepared = (Array.isArray(events) ? events : [events]).map((event: NewEvent, index) =>
        this.#prepare(event, index),
      );
      this.#refuseBatchTooLarge(prepared);
      return this.#enqueue(prepared, this.#levelFor(durability));
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
    await this.#file.sync('all');
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

  async #close(): Promise<void> {
    try {
      // Appends of this tick are written first; nothing can follow them any more.
      await undefined;
      while (this.#queue.length > 0 || this.#restoring || this.#writing) {
        if (this.#restoring) await this.#restoring;
        else if (this.#writing) await this.#writing;
        else this.#flush();
      }
      if (this.#syncing) await this.#syncing;
      if (this.policy !== 'process' && !this.failure && this.#synced.offset < this.#file.length) {
        await this.#file.sync();
        this.#synced = this.#head;
      }
    } finally {
      await this.#file.close();
      await this.#lock.close();
    }
  }

  #prepare(event: NewEvent, index: number): PreparedEvent {
    validateEvent(event);
    const { type, turn, id, ignorable, data } = event;
    const json = toJson(data);
    const prepared = { type, turn, id, ignorable, json };
    // Three bytes is the most that a character takes, and sealing makes four of them.
    if (json.length * 4 + 4096 > MAX_WRITTEN_LINE_BYTES) {
      const seq = this.#nextSeq + this.#queuedEvents + index;
      const bytes = lineBytes(this.#line(prepared, seq, this.#timestamp()));
      if (bytes > MAX_WRITTEN_LINE_BYTES) throw tooLarge(event, bytes);
    }
    return prepared;
  }

  /** A batch is stored whole or not at all, so it must fit where it goes. */
  #refuseBatchTooLarge(events: readonly PreparedEvent[]): void {
    const { mostBytes } = this.#file;
    if (mostBytes === undefined) return;
    // Three bytes is the most that a character takes, and sealing makes four of them.
    const roughly = events.reduce((sum, { json, id = '' }) => sum + (json.length + id.length) * 4 + 4096, 0);
    if (roughly <= mostBytes) return;
    const ts = this.#timestamp();
    let bytes = 0;
    for (const event of events) {
      const ownBytes = lineBytes({ ...event, seq: Number.MAX_SAFE_INTEGER, ts });
      bytes += this.#seal ? Math.ceil((ownBytes * 4) / 3) + 512 : ownBytes;
    }
    if (bytes <= mostBytes) return;
    const [{ type }] = events as [PreparedEvent];
    throw new OllmError(
      'EVENT_TOO_LARGE',
      `An append of ${bytes} bytes is over what one message holds, ${mostBytes}.`,
      {
        hint: 'Nothing was written. Put a large payload into a blob, append fewer events together, or raise max_payload.',
        data: { type, bytes },
      },
    );
  }

  #line({ type, turn, id, ignorable, json }: PreparedEvent, seq: number, ts: string): NewLine {
    return { seq, ts, type, turn, id, ignorable, json: this.#seal?.seal(json, { seq, type }) ?? json };
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
      this.#queuedEvents += events.length;
      this.#scheduleFlush();
    });
  }

  #scheduleFlush(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    queueMicrotask(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  /** Writes everything that waits, in one write. */
  #flush(): void {
    if (this.#restoring || this.#writing || this.#queue.length === 0) return;
    const queue = this.#queue;
    this.#queue = [];
    this.#queuedEvents = 0;
    if (this.#file.mostBytes !== undefined) {
      this.#writing = this.#flushAway(queue).then(() => {
        this.#writing = undefined;
        if (this.#queue.length > 0) this.#scheduleFlush();
      });
      return;
    }
    try {
      if (this.failure) throw this.failure;
      const draft = this.#draft(queue);
      if (this.#buffer.length > 0) this.#file.write(this.#buffer.bytes, endsOf(draft));
      this.#commit(draft);
    } catch (error) {
      this.#giveUp(queue, error);
    } finally {
      this.#buffer.clear();
    }
  }

  /** The same where the write is acknowledged later. What is appended meanwhile goes with the next one. */
  async #flushAway(queue: readonly Pending[]): Promise<void> {
    try {
      if (this.failure) throw this.failure;
      await this.#lookUpNamed(queue);
      const draft = this.#draft(queue);
      if (this.#buffer.length > 0) await this.#file.write(this.#buffer.bytes, endsOf(draft));
      this.#synced = draft.head;
      this.#commit(draft);
    } catch (error) {
      this.#giveUp(queue, error);
    } finally {
      this.#buffer.clear();
      this.#named.clear();
    }
  }

  /** Fetches the stored events that have an id of these. */
  async #lookUpNamed(queue: readonly Pending[]): Promise<void> {
    for (const { events } of queue) {
      for (const { id } of events) {
        if (id === undefined || this.#named.has(id)) continue;
        const known = (await this.#knownIds()).get(id);
        if (known) this.#named.set(id, await this.#file.storedAt(known.end));
      }
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
    /** What is to be stored in this write, by its id. */
    const given = new Map<string, PreparedEvent>();
    for (const pending of queue) {
      const conflict = this.#conflictIn(pending.events, given);
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
        const known = event.id === undefined ? undefined : (draft.ids.get(event.id) ?? this.#loadedIds().get(event.id));
        if (known) {
          receipts.push({ seq: known.seq, xxh64: known.xxh64, duplicate: true });
          end = Math.max(end, known.end);
          continue;
        }
        const seq = draft.nextSeq++;
        const xxh64 = this.#buffer.add(this.#line(event, seq, ts), draft.head.xxh64);
        ends.push(this.#buffer.length);
        end = this.#file.length + this.#buffer.length;
        draft.head = { seq, offset: end, xxh64 };
        if (event.id !== undefined) draft.ids.set(event.id, { seq, xxh64, end });
        receipts.push({ seq, xxh64, duplicate: false });
      }
      if (ends.length > 0) draft.batches.push(ends);
      draft.acknowledged.push({ pending, receipts, end });
    }
    return draft;
  }

  /** An id names one content: with another one, none of the batch is stored. */
  #conflictIn(events: readonly PreparedEvent[], given: ReadonlyMap<string, PreparedEvent>): OllmError | undefined {
    const own = new Map<string, PreparedEvent>();
    for (const event of events) {
      if (event.id === undefined) continue;
      const unwritten = own.get(event.id) ?? given.get(event.id);
      const known = unwritten ? undefined : this.#loadedIds().get(event.id);
      const named = unwritten
        ? { ...unwritten, data: JSON.parse(unwritten.json) }
        : known && this.#storedAt(event.id, known);
      if (named && !isSameEvent(named, event)) return conflictOf(event, known?.seq);
      own.set(event.id, event);
    }
    return undefined;
  }

  /** A stored event as it was given; undefined where its seal was broken, which a reader reports as damage. */
  #storedAt(id: string, { end }: KnownEvent): StoredEvent | undefined {
    const stored = this.#named.has(id) ? this.#named.get(id) : (this.#file.storedAt(end) as StoredEvent | undefined);
    return stored && this.#seal ? this.#seal.open(stored) : stored;
  }

  /** The lines are in the file: resolves the appends that wait for that, and lets the others wait for the device. */
  #commit(draft: Draft): void {
    this.#head = draft.head;
    this.#nextSeq = draft.nextSeq;
    for (const [id, known] of draft.ids) this.#ids?.set(id, known);
    for (const { pending, receipts, end } of draft.acknowledged) {
      if (pending.level === 'process' || end <= this.#synced.offset) pending.resolve(receipts);
      else this.#waiting.push({ offset: end, receipts, pending });
    }
    this.#syncWaiting();
    if (this.#listeners.size > 0) this.#publish(draft.batches);
  }

  #publish(batches: readonly number[][]): void {
    const buffer = Buffer.from(this.#buffer.bytes);
    const base = this.#file.length - buffer.length;
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

  #giveUp(queue: readonly Pending[], error: unknown): void {
    const rejectAll = (reason: unknown) => {
      for (const { reject } of queue) reject(reason);
    };
    if (!(error instanceof OllmError) || error.code !== 'JOURNAL_FULL') {
      rejectAll(error);
      this.#rejectWaiting();
      return;
    }
    this.#restoring = this.#file
      .sync('all')
      .then(
        () => rejectAll(error),
        (failure: unknown) => {
          rejectAll(failure);
          this.#rejectWaiting();
        },
      )
      .then(() => {
        this.#restoring = undefined;
        if (this.#queue.length > 0) this.#scheduleFlush();
      });
  }

  /** One sync for all appends that wait; those that come meanwhile share the next one. */
  #syncWaiting(): void {
    if (this.#syncing || this.#waiting.length === 0) return;
    this.#syncing = this.#syncUntilNoneWaits();
  }

  async #syncUntilNoneWaits(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const target = this.#head;
        try {
          await this.#file.sync();
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
    return (await this.#knownIds()).has(id);
  }

  /** Read at the first append that carries one. */
  async #knownIds(): Promise<Map<string, KnownEvent>> {
    if (this.#ids) return this.#ids;
    const read = await this.#file.knownIds();
    // Another call may have been first, and ids may have been added since.
    this.#ids ??= read;
    return this.#ids;
  }

  /** The same where they can be read now, or were. */
  #loadedIds(): Map<string, KnownEvent> {
    this.#ids ??= this.#file.knownIds() as Map<string, KnownEvent>;
    return this.#ids;
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

/** Where the lines of each append end in the buffer. */
function endsOf({ batches }: Draft): number[] {
  return batches.map((ends) => ends.at(-1)!);
}

function isSameEvent(
  { type, turn, ignorable, data }: Pick<StoredEvent, 'type' | 'turn' | 'ignorable' | 'data'>,
  other: PreparedEvent,
): boolean {
  const isLike = type === other.type && turn === other.turn && ignorable === other.ignorable;
  return isLike && isDeepStrictEqual(data, JSON.parse(other.json));
}

function conflictOf({ id, type }: PreparedEvent, seq: number | undefined): OllmError {
  const where = seq === undefined ? 'in the same append' : `as event ${seq}`;
  return new OllmError('EVENT_CONFLICT', `The id ${JSON.stringify(id)} is that of another event, ${where}.`, {
    hint: 'Nothing was written. Append the same event again with its id, or another event with a new one.',
    data: { id, type, seq },
  });
}

function tooLarge(event: NewEvent, bytes: number): OllmError {
  return new OllmError(
    'EVENT_TOO_LARGE',
    `The event ${event.type} would make a line of ${bytes} bytes; ${MAX_WRITTEN_LINE_BYTES} is the most.`,
    { hint: 'Nothing was written. Put the payload into a blob and name that.', data: { type: event.type, bytes } },
  );
}
