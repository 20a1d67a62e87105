// A page of a session's events by their seq. Only the page of a journal and its surroundings are read, so that it costs
// the same in a session of any length; the file of another program is read through.
import { OllmError } from '../../../errors/index.ts';
import { everyOutcome, firstEvent } from '../../../journal/reading/outcomes.ts';
import type { Damage, EventReader, JournalReader, Outcome, SessionEvent } from '../../../journal/types.ts';
import { isJournal } from '../../find/open-for-reading.ts';

interface PageRequest {
  /** seq of the first event. Counted from the end where it is negative. */
  readonly from: number;
  /** The most events. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

type FoundDamage = Damage & {
  /** seq of the event after the page, if one was read. */
  readonly before?: number | undefined;
};

export interface EventPage {
  readonly events: readonly SessionEvent[];
  /** Damage before these events. At the end of the session also damage after them. */
  readonly damage: readonly FoundDamage[];
  /** seq of the newest event; undefined if there is none. */
  readonly head: number | undefined;
  /** Where the next page begins; undefined at the end. */
  readonly next: number | undefined;
}

/** A larger page is cut after the first event that exceeds this. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** @throws OllmError USAGE if the page cannot be one, and what reading throws */
export async function readPage(reader: EventReader, request: PageRequest): Promise<EventPage> {
  const { from, limit } = request;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(limit) || limit < 1) {
    throw new OllmError('USAGE', 'A page begins at a whole number and has at least one event.');
  }
  return isJournal(reader) ? pageOfJournal(reader, request) : pageOfOther(reader, request);
}

async function pageOfJournal(reader: JournalReader, { from, limit, signal }: PageRequest): Promise<EventPage> {
  const head = await headOf(reader, signal);
  if (head === undefined) return collect(reader.outcomes({ signal }), { from: 0, limit, head });
  const first = from < 0 ? Math.max(0, head + 1 + from) : from;
  const after = await reader.placeBefore(first);
  return collect(reader.outcomes({ after, signal }), { from: first, limit, head });
}

async function headOf(reader: JournalReader, signal: AbortSignal | undefined): Promise<number | undefined> {
  return (await reader.lastSeq()) ?? (await firstEvent(reader.backwards({ signal })))?.seq;
}

async function pageOfOther(reader: EventReader, { from, limit, signal }: PageRequest): Promise<EventPage> {
  const fromEnd = from < 0 ? -from : undefined;
  let held: Outcome<SessionEvent>[] = [];
  let heldEvents = 0;
  let head: number | undefined;
  await everyOutcome(reader.outcomes({ signal }), (outcome) => {
    if (outcome.kind === 'event') {
      head = outcome.event.seq;
      heldEvents += 1;
      if (head < from) [held, heldEvents] = [[], 0];
    }
    if (fromEnd !== undefined || (heldEvents <= limit + 1 && (head ?? 0) >= from)) held.push(outcome);
    if (fromEnd === undefined || heldEvents <= 2 * fromEnd) return;
    held = held.slice(held.findLastIndex(isNth(fromEnd)));
    heldEvents = fromEnd;
  });
  const first = fromEnd === undefined ? from : Math.max(0, (head ?? 0) + 1 - fromEnd);
  return collect([held], { from: first, limit, head });
}

/** Counts events from the end. */
function isNth(count: number): (outcome: Outcome<SessionEvent>) => boolean {
  let seen = 0;
  return ({ kind }) => {
    if (kind === 'event') seen += 1;
    return seen === count;
  };
}

async function collect(
  batches: AsyncIterable<readonly Outcome<SessionEvent>[]> | Iterable<readonly Outcome<SessionEvent>[]>,
  { from, limit, head }: { readonly from: number; readonly limit: number; readonly head: number | undefined },
): Promise<EventPage> {
  const events: SessionEvent[] = [];
  const damage: FoundDamage[] = [];
  let waiting: Damage[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') {
        waiting.push(outcome.damage);
        continue;
      }
      const { event } = outcome;
      const isPast = head !== undefined && event.seq > head;
      if (events.length === limit || bytes > MAX_PAGE_BYTES || isPast) {
        return { events, damage, head, next: isPast ? undefined : event.seq };
      }
      if (event.seq >= from) {
        damage.push(...waiting.map((each) => ({ ...each, before: event.seq })));
        events.push(event);
        bytes += sizeOf(event);
      }
      waiting = [];
    }
  }
  return { events, damage: [...damage, ...waiting], head, next: undefined };
}

/** Bytes, as far as that is cheap to tell. */
function sizeOf(event: SessionEvent & { readonly raw?: Uint8Array }): number {
  return event.raw?.byteLength ?? JSON.stringify(event.data).length;
}
