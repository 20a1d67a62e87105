// Copies the events of one journal into another: for a fork, a reset that keeps the history, a session in memory that
// is kept after all. Facts about the old file (its writers, its repairs, its closing) are left out, so numbers shift;
// pointers by seq are changed to the same events in the new journal. Each copy has the time of its original as `at`, so
// expiry by time is the same in both.
import { isOfFile } from '../events/of-file.ts';
import { timeOf } from '../events/time-of.ts';
import { eventsOf } from '../journal/reading/outcomes.ts';
import type { Batches, JsonObject, NewEvent, SessionEvent } from '../journal/types.ts';

interface CopyOptions {
  /** The last event that comes along. */
  readonly through?: number | undefined;
  /** How many events the new journal has before the first copied one. Default: 1, its session.created. */
  readonly before?: number | undefined;
  /** Further events to leave out. */
  readonly without?: ((event: SessionEvent) => boolean) | undefined;
}

/** The events that come along, in batches that a writer takes as one. */
export async function* copyEvents(
  outcomes: Batches<SessionEvent>,
  { through = Number.POSITIVE_INFINITY, before = 1, without = () => false }: CopyOptions = {},
): AsyncGenerator<readonly NewEvent[], void, void> {
  /** The old seq of each event that came along: index i holds that of the new seq `before + i`. */
  const taken: number[] = [];
  const places: CopiedPlaces = {
    atOrBefore: (seq) => before - 1 + countUpTo(taken, seq),
    atOrAfter: (seq) => before + countUpTo(taken, seq - 1),
  };
  for await (const batch of outcomes) {
    const events = [...eventsOf(batch)];
    const copies: NewEvent[] = [];
    for (const event of events) {
      if (event.seq > through || isOfFile(event.type) || without(event)) continue;
      taken.push(event.seq);
      const { type, turn, id, ignorable } = event;
      copies.push({ type, data: withTime(event, pointAtNewPlaces(event, places)), turn, id, ignorable });
    }
    if (copies.length > 0) yield copies;
    if (events.some(({ seq }) => seq > through)) return;
  }
}

function withTime(event: SessionEvent, data: JsonObject): JsonObject {
  const at = data.at === undefined ? timeOf(event) : undefined;
  return at === undefined ? data : { ...data, at };
}

/** Where events are in the new journal, by their old seq. */
interface CopiedPlaces {
  atOrBefore(seq: number): number;
  atOrAfter(seq: number): number;
}

/** The data of an event, pointing at the same events as before. */
export function pointAtNewPlaces(event: Pick<SessionEvent, 'type' | 'data'>, places: CopiedPlaces): JsonObject {
  const { data } = event;
  const { head, seq, since, keptFrom, covers } = data;
  if (event.type === 'branch.moved' && typeof head === 'number') return { ...data, head: places.atOrBefore(head) };
  if (event.type === 'files.reverted' && typeof since === 'number') return { ...data, since: places.atOrBefore(since) };
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
