// The rows of `ollm list`: from the state files where they hold, else from the journals themselves.
import { isOllmError } from '../../errors/index.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import { summarizeListed } from '../../session/summarize.ts';
import type { App } from '../app.ts';
import { type BareSession, listBareSessions } from './bare-sessions.ts';

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
  const rows = [...needed.map((info) => rowOf(app, info)), ...listBareSessions(app, journals, otherNames).map(bareRow)];
  return rows.sort(ORDERS[sort]).slice(0, limit);
}

export function rowOf({ store }: Pick<App, 'store'>, info: JournalFileInfo): SessionRow {
  const { id, bytes, modifiedMs } = info;
  const base = { id, bytes, modified: new Date(modifiedMs).toISOString() };
  try {
    const { summary, events, damaged, atRest, sealed } = summarizeListed(store, info);
    const locked = !atRest && store.holder(id) !== undefined;
    // Its title is sealed: what stands in its place says why there is none.
    if (events > 0) return { ...base, locked, summary, problem: sealed && 'encrypted', damaged };
    const problem = 'The journal holds no event that can be read.';
    return { ...base, locked, summary: undefined, problem, damaged };
  } catch (error) {
    const problem = isOllmError(error) ? error.message : String(error);
    return { ...base, locked: false, summary: undefined, problem, damaged: 0 };
  }
}

function bareRow({ id, bytes, modifiedMs }: BareSession): SessionRow {
  const problem = 'A session of an older form: it gets a journal when it is opened.';
  const modified = new Date(modifiedMs).toISOString();
  return { id, bytes, modified, locked: false, summary: undefined, problem, damaged: 0 };
}

type Comparison = (a: SessionRow, b: SessionRow) => number;

const ORDERS: Record<SessionOrder, Comparison> = {
  activity: (a, b) => compare(activityOf(b), activityOf(a)) || compare(a.id, b.id),
  created: (a, b) => compare(b.summary?.startTime ?? '', a.summary?.startTime ?? '') || compare(a.id, b.id),
  size: (a, b) => b.bytes - a.bytes || compare(a.id, b.id),
  title: (a, b) => compare(a.summary?.title ?? '\uffff', b.summary?.title ?? '\uffff') || compare(a.id, b.id),
};

function activityOf({ summary, modified }: SessionRow): string {
  return summary?.lastActivity ?? modified;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
