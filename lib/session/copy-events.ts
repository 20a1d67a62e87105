// Takes the events of one journal over into another: for a fork, a reset that keeps the history, a session in memory
// that is kept after all. Facts about the old file (its writers, its repairs, its closing) stay behind, so numbers
// shift; events that point at others by seq are made to point at the same ones in the new journal.
import type { JsonObject, NewEvent, Outcome, StoredEvent } from '../journal/types.ts';

/** Facts about a file, not about the conversation. */
const LEFT_BEHIND = /^(session\.created|session\.closed|writer\..*|journal\..*)$/;

export interface CopyOptions {
  /** The last event that comes along. */
  readonly through?: number | undefined;
  /** How many events stand in the new journal before the first that comes. Default: 1, its session.created. */
  readonly before?: number | undefined;
  /** Further events to leave out. */
  readonly without?: ((event: StoredEvent) => boolean) | undefined;
}

export function* copyEvents(outcomes: Iterable<Outcome>, options: CopyOptions = {}): Generator<NewEvent, void, void> {
  const { through = Number.POSITIVE_INFINITY, before = 1, without = () => false } = options;
  /** The old seq of each event that came along: at index i stands that of the new seq `before + i`. */
  const taken: number[] = [];
  const places: Places = {
    atOrBefore: (seq) => before - 1 + countUpTo(taken, seq),
    atOrAfter: (seq) => before + countUpTo(taken, seq - 1),
  };
  for (const outcome of outcomes) {
    if (outcome.kind === 'damage') continue;
    const { event } = outcome;
    if (event.seq > through) return;
    if (LEFT_BEHIND.test(event.type) || without(event)) continue;
    taken.push(event.seq);
    yield {
      type: event.type,
      data: pointAtNewPlaces(event, places),
      turn: event.turn,
      id: event.id,
      ignorable: event.ignorable,
    };
  }
}

/** Cuts a stream of events into batches that a writer takes in one go. */
export function* inBatches(events: Iterable<NewEvent>, size = 256): Generator<NewEvent[], void, void> {
  let batch: NewEvent[] = [];
  for (const event of events) {
    batch.push(event);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

interface Places {
  atOrBefore(seq: number): number;
  atOrAfter(seq: number): number;
}

function pointAtNewPlaces(event: StoredEvent, places: Places): JsonObject {
  const { data } = event;
  const { head, seq, keptFrom, covers } = data;
  if (event.type === 'branch.moved' && typeof head === 'number') return { ...data, head: places.atOrBefore(head) };
  if (event.type === 'compaction.undone' && typeof seq === 'number') return { ...data, seq: places.atOrBefore(seq) };
  if (event.type === 'compaction.completed' && typeof keptFrom === 'number' && isRange(covers)) {
    return {
      ...data,
      covers: { from: places.atOrAfter(covers.from), to: places.atOrBefore(covers.to) },
      keptFrom: places.atOrAfter(keptFrom),
    };
  }
  return data;
}

function isRange(value: unknown): value is { from: number; to: number } {
  const range = value as { from?: unknown; to?: unknown } | null | undefined;
  return typeof range?.from === 'number' && typeof range.to === 'number';
}

/** How many of the ascending `numbers` are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
