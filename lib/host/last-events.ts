// The last stretch of a journal, which snapshots are made from.
import { everyEvent } from '../journal/reading/outcomes.ts';
import type { JournalReader, SessionEvent } from '../journal/types.ts';

/** Events that are kept; of more, the newest and the one that begins the stretch. */
const MOST_KEPT = 20_000;

/** The events up to the seq `upTo`, back to the newest one that `begins`; oldest first. */
export async function lastEvents(
  reader: JournalReader,
  begins: (event: SessionEvent) => boolean,
  upTo = Number.POSITIVE_INFINITY,
): Promise<readonly SessionEvent[]> {
  const newestFirst: SessionEvent[] = [];
  await everyEvent(reader.backwards(), (event) => {
    if (event.seq > upTo) return true;
    const hasBegun = begins(event);
    if (hasBegun || newestFirst.length < MOST_KEPT) newestFirst.push(event);
    return !hasBegun;
  });
  return newestFirst.reverse();
}
