// The rows of `ollm list`: from the index where it holds, else from the state files where they do, else from the journals
// themselves.
import { isOllmError } from '../../errors/index.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import { summarizeListed } from '../../session/summarize.ts';
import type { App } from '../app.ts';
import { type BareSession, listBareSessions } from './bare-sessions.ts';
import { type ListIndex, openListIndex } from './list-index.ts';

/** What a list says of a session. */
export interface SessionRow {
  readonly id: string;
  readonly bytes: number;
  /** RFC 3339: when its file was last written. */
  readonly modified: string;
  readonly locked: boolean;
  /** Undefined if the journal cannot be read; `problem` then says why. */
  readonly summary: SummaryRow | undefined;
  /** “encrypted”: there is a summary, and no title in it. */
  readonly problem: string | undefined;
  /** Places of the journal that could not be read. */
  readonly damaged: number;
}

/** By what a list is sorted: the newest, the largest, or the first in the alphabet on top. */
export type SessionOrder = 'activity' | 'created' | 'size' | 'title';

/** How many sessions are listed, in which order. */
export interface ListOptions {
  readonly limit?: number | undefined;
  readonly sort?: SessionOrder | undefined;
}

/**
 * The sessions that there are, newest activity first unless told otherwise. Never fails for the sake of one session.
 *
 * @example
 * for (const { id, summary } of listSessions(app, { limit: 10 })) console.log(id, summary?.title);
 */
export function listSessions(
  app: App,
  { limit = Number.POSITIVE_INFINITY, sort = 'activity' }: ListOptions = {},
): SessionRow[] {
  const { journals, otherNames } = app.store.listing();
  const newestFirst = [...journals].sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
  // A file is written whenever something happens, so the newest files are the newest sessions: the others need no reading.
  const needed = sort === 'activity' ? newestFirst.slice(0, limit) : newestFirst;
  const index = openListIndex(app);
  const listed = needed.map((info) => rowOf(app, info, index));
  index.save(journals);
  const rows = [...listed, ...listBareSessions(app, journals, otherNames).map(bareRow)];
  return rows.sort(ORDERS[sort]).slice(0, limit);
}

function rowOf({ store }: Pick<App, 'store'>, info: JournalFileInfo, index: ListIndex): SessionRow {
  const { id } = info;
  try {
    const known = index.find(info);
    if (known !== undefined) {
      const locked = !known.closed && store.holder(id) !== undefined;
      return row(info, { locked, summary: known, problem: undefined, damaged: 0 });
    }
    const { summary, events, damaged, atRest, sealed } = summarizeListed(store, info);
    const locked = !atRest && store.holder(id) !== undefined;
    if (events > 0 && damaged === 0 && !locked && !sealed) index.remember(info, summary);
    // Its title is sealed: what stands in its place says why there is none.
    if (events > 0) return row(info, { locked, summary, problem: sealed && 'encrypted', damaged });
    const problem = 'The journal holds no event that can be read.';
    return row(info, { locked, summary: undefined, problem, damaged });
  } catch (error) {
    const problem = isOllmError(error) ? error.message : String(error);
    return row(info, { locked: false, summary: undefined, problem, damaged: 0 });
  }
}

function bareRow(session: BareSession): SessionRow {
  const problem = 'A session of an older form: it gets a journal when it is opened.';
  return row(session, { locked: false, summary: undefined, problem, damaged: 0 });
}

function row(
  { id, bytes, modifiedMs }: Pick<JournalFileInfo, 'id' | 'bytes' | 'modifiedMs'>,
  { locked, summary, problem, damaged }: Pick<SessionRow, 'locked' | 'summary' | 'problem' | 'damaged'>,
): SessionRow {
  return {
    id,
    bytes,
    // Few who list look at it, and to write ten thousand dates takes as long as to read them.
    get modified() {
      return new Date(modifiedMs).toISOString();
    },
    locked,
    summary,
    problem,
    damaged,
  };
}

type Comparison = (a: SessionRow, b: SessionRow) => number;

const ORDERS: Record<SessionOrder, Comparison> = {
  activity: (a, b) => compare(activityOf(b), activityOf(a)) || compare(a.id, b.id),
  created: (a, b) => compare(b.summary?.startTime ?? '', a.summary?.startTime ?? '') || compare(a.id, b.id),
  size: (a, b) => b.bytes - a.bytes || compare(a.id, b.id),
  title: (a, b) => compare(a.summary?.title ?? '\uffff', b.summary?.title ?? '\uffff') || compare(a.id, b.id),
};

function activityOf(row: SessionRow): string {
  return row.summary?.lastActivity ?? row.modified;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
