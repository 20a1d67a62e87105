// What a list says of a session, and in which order.
import type { JournalFileInfo } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';

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

export function sessionRow(
  { id, bytes, modifiedMs }: Pick<JournalFileInfo, 'id' | 'bytes' | 'modifiedMs'>,
  { locked = false, summary, problem, damaged = 0 }: Partial<SessionRow>,
): SessionRow {
  return {
    id,
    bytes,
    // Rarely asked for, and slow to make ten thousand times.
    get modified() {
      return new Date(modifiedMs).toISOString();
    },
    locked,
    summary,
    problem,
    damaged,
  };
}

/** When something last happened in the session, as far as that is known. */
export function activityOf(row: Pick<SessionRow, 'summary' | 'modified'>): string {
  return row.summary?.lastActivity || row.modified;
}

type Comparison = (a: SessionRow, b: SessionRow) => number;

export const ORDERS: Readonly<Record<SessionOrder, Comparison>> = {
  activity: (a, b) => compare(activityOf(b), activityOf(a)) || compare(a.id, b.id),
  created: (a, b) => compare(b.summary?.startTime ?? '', a.summary?.startTime ?? '') || compare(a.id, b.id),
  size: (a, b) => b.bytes - a.bytes || compare(a.id, b.id),
  title: (a, b) => compare(a.summary?.title ?? '\uffff', b.summary?.title ?? '\uffff') || compare(a.id, b.id),
};

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
