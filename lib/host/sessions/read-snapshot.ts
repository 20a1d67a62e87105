// Reads what a snapshot needs of a journal: from its end back to the beginning of its last turn, and its row.
import type { App } from '../../app/app.ts';
import { openForReading } from '../../app/find/open-for-reading.ts';
import { summarize } from '../../session/summarize.ts';
import { lastEvents } from '../last-events.ts';
import type { SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import { snapshotOf } from './snapshot.ts';

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
  const events = await lastEvents(reader, ({ type }) => type === 'turn.started', upTo);
  const isLed = upTo !== undefined || (await reader.isBeingWritten());
  const { summary } = await summarize(store, id);
  return snapshotOf({ summary, events, seq: events.at(-1)?.seq ?? -1, isLed, ...here });
}
