// Reads what a snapshot needs of a journal: from its end back to the beginning of its last turn, and its row.
import type { App } from '../../app/app.ts';
import { openForReading } from '../../app/sessions/find/open-for-reading.ts';
import type { SessionEvent } from '../../journal/types.ts';
import { summarize } from '../../session/summarize.ts';
import type { SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import { snapshotOf } from './snapshot.ts';

/** Of a turn that is longer, the last of it. */
const MOST_READ = 20_000;

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE, SESSION_ENCRYPTED */
export async function readSnapshot(
  { store }: Pick<App, 'store'>,
  id: string,
  here: Omit<SnapshotOf, 'id'>,
): Promise<SessionSnapshot> {
  const reader = await openForReading({ store }, id);
  try {
    const newestFirst: SessionEvent[] = [];
    let hasBegun = false;
    reading: for await (const batch of reader.backwards()) {
      for (const outcome of batch) {
        if (outcome.kind !== 'event') continue;
        newestFirst.push(outcome.event);
        hasBegun = outcome.event.type === 'turn.started';
        if (hasBegun || newestFirst.length === MOST_READ) break reading;
      }
    }
    const isLed = await reader.isBeingWritten();
    const { summary } = await summarize(store, id);
    const isTurn = hasBegun || newestFirst.length === MOST_READ;
    const events = isTurn ? newestFirst.toReversed() : [];
    return snapshotOf({ summary, events, seq: newestFirst[0]?.seq ?? -1, isLed, ...here });
  } finally {
    reader.close();
  }
}
