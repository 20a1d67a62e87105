// Reads what a snapshot needs of a journal: from its end back to the beginning of its last turn, and its row.
import type { App } from '../../app/app.ts';
import { openForReading } from '../../app/find/open-for-reading.ts';
import type { SessionEvent } from '../../journal/types.ts';
import { summarize } from '../../session/summarize.ts';
import type { SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import { snapshotOf } from './snapshot.ts';

/** Events of a turn that are kept; of a longer one the newest, and its beginning. */
const MOST_KEPT = 20_000;

interface Asked extends Omit<SnapshotOf, 'id'> {
  /** Seq of the last event to look at, from when this host led the session. Default: the last event of the journal. */
  readonly upTo?: number | undefined;
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE, SESSION_ENCRYPTED */
export async function readSnapshot(
  { store }: Pick<App, 'store'>,
  id: string,
  { upTo, ...here }: Asked,
): Promise<SessionSnapshot> {
  using reader = await openForReading({ store }, id);
  const newestFirst: SessionEvent[] = [];
  reading: for await (const batch of reader.backwards()) {
    for (const outcome of batch) {
      if (outcome.kind !== 'event' || outcome.event.seq > (upTo ?? Number.POSITIVE_INFINITY)) continue;
      const hasBegun = outcome.event.type === 'turn.started';
      if (hasBegun || newestFirst.length < MOST_KEPT) newestFirst.push(outcome.event);
      if (hasBegun) break reading;
    }
  }
  const isLed = upTo !== undefined || (await reader.isBeingWritten());
  const { summary } = await summarize(store, id);
  return snapshotOf({ summary, events: newestFirst.toReversed(), seq: newestFirst[0]?.seq ?? -1, isLed, ...here });
}
