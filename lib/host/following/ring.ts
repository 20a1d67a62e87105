// The newest items of a session, up to a limit in bytes, for any number of subscribers. Each item has a number that
// only grows; a subscriber remembers the number of the next item that it wants. The newest item is kept whatever its
// size.
import type { Position } from '../../journal/types.ts';
import type { Delivery } from '../port/followers.ts';

/** What a subscriber may be sent more than once, or out of the ring. */
export type Item = Extract<Delivery, { kind: 'event' | 'signal' | 'reset' }>;

/** A stored event with its place in the conversation. */
export interface EventItem {
  readonly item: Extract<Delivery, { kind: 'event' }>;
  readonly seq: number;
  readonly position: Position;
}

export type RingEntry = EventItem | { readonly item: Exclude<Item, { kind: 'event' }>; readonly seq?: undefined };

/** Bytes in addition to the data: the object, and its place in the list. */
const ENTRY_BYTES = 150;

/** The limit of all rings together: above it, those that were written to longest ago keep only their newest item. */
export class RingBudget {
  readonly #maxBytes: number;
  /** The one that was written to last at the end. */
  readonly #rings = new Map<Ring, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records the present size of a ring. */
  note(ring: Ring, bytes: number): void {
    this.remove(ring);
    this.#bytes += bytes;
    this.#rings.set(ring, bytes);
    for (const [other] of this.#rings) {
      if (this.#bytes <= this.#maxBytes) return;
      if (other !== ring) this.#shrink(other);
    }
  }

  /** It is not looked at again before more is written to it. */
  #shrink(ring: Ring): void {
    this.#bytes -= this.#rings.get(ring) ?? 0;
    this.#rings.delete(ring);
    ring.shrink();
  }

  remove(ring: Ring): void {
    this.#bytes -= this.#rings.get(ring) ?? 0;
    this.#rings.delete(ring);
  }
}

export class Ring {
  readonly #maxBytes: number;
  readonly #budget: RingBudget;
  #entries: RingEntry[] = [];
  /** How many items at the beginning of the list were dropped. */
  #gone = 0;
  /** The number of the first entry of the list. */
  #base = 0;
  #bytes = 0;
  /** Every event after this seq is in the ring. */
  #floor: number;
  /** The number of the first entry of this generation. */
  #generation = 0;

  /** `head`: seq of the last event before the first that comes. */
  constructor(maxBytes: number, budget: RingBudget, head: number) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
    this.#floor = head;
  }

  /** The number of the oldest entry. */
  get start(): number {
    return this.#base + this.#gone;
  }

  /** The number that the next entry gets. */
  get end(): number {
    return this.#base + this.#entries.length;
  }

  push(entry: RingEntry): void {
    if (entry.item.kind === 'reset') {
      this.#generation = this.end;
      this.#floor = -1;
    }
    this.#entries.push(entry);
    this.#bytes += bytesOf(entry);
    this.#keep(this.#maxBytes);
    this.#budget.note(this, this.#bytes);
  }

  /** Drops all items but the newest. */
  shrink(): void {
    this.#keep(0);
  }

  #keep(maxBytes: number): void {
    while (this.#bytes > maxBytes && this.start < this.end - 1) this.#letGo();
    if (this.#gone * 2 <= this.#entries.length || (this.#gone <= 64 && maxBytes > 0)) return;
    this.#entries = this.#entries.slice(this.#gone);
    this.#base += this.#gone;
    this.#gone = 0;
  }

  /** Items from this number on, at most `maxBytes` of them, but at least one. */
  from(number: number, maxBytes: number): Item[] {
    return within(this.#between(number), maxBytes).map(({ item }) => item);
  }

  /** Events after this seq, as `from`; undefined if some of them are no longer in the ring. */
  eventsBehind(seq: number, maxBytes: number): EventItem[] | undefined {
    if (seq < this.#floor) return undefined;
    const start = Math.max(this.start, this.#generation);
    return within(this.#events(start, seq), maxBytes);
  }

  *#between(number: number): Generator<RingEntry> {
    for (let next = number; next < this.end; next += 1) yield this.#entries[next - this.#base]!;
  }

  *#events(number: number, seq: number): Generator<EventItem> {
    for (const entry of this.#between(number)) if (entry.seq !== undefined && entry.seq > seq) yield entry;
  }

  #letGo(): void {
    const entry = this.#entries[this.#gone]!;
    this.#bytes -= bytesOf(entry);
    if (entry.seq !== undefined && this.start >= this.#generation) this.#floor = entry.seq;
    this.#entries[this.#gone] = undefined as never;
    this.#gone += 1;
  }
}

/** The leading entries of at most `maxBytes`, but at least one. */
export function within<Each extends RingEntry>(entries: Iterable<Each>, maxBytes: number): Each[] {
  const taken: Each[] = [];
  let bytes = 0;
  for (const entry of entries) {
    bytes += bytesOf(entry);
    if (bytes > maxBytes && taken.length > 0) break;
    taken.push(entry);
  }
  return taken;
}

function bytesOf({ item: { data } }: RingEntry): number {
  return data.length + ENTRY_BYTES;
}
