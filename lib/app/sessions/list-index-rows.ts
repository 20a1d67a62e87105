// The rows of a list's index as text: a column for each member that a summary may have. Ten thousand rows are read in half
// of the time that as many objects take, because no name of a member is repeated.
import type { JournalFileInfo } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';

export interface IndexedRow {
  /** What the journal was like when it was summarized. */
  readonly info: JournalFileInfo;
  readonly summary: SummaryRow;
}

export interface IndexedRows {
  rowOf(id: string): number | undefined;
  /** Whether this row was made of the journal as it is now. */
  isOf(row: number, info: JournalFileInfo): boolean;
  /** Put together when it is asked for: a list of twenty needs twenty of them. */
  summary(row: number): SummaryRow;
}

interface Columns {
  readonly ids: readonly string[];
  /** As numbers, which say no less: two files, or two changes, would have to be a quarter of a microsecond apart. */
  readonly inodes: readonly number[];
  readonly changes: readonly number[];
  readonly bytes: readonly number[];
  readonly members: readonly string[];
  /** One for each member; null where a summary has none. */
  readonly values: readonly (readonly unknown[])[];
}

export function encodeRows(rows: readonly IndexedRow[]): string {
  const members = [...new Set(rows.flatMap(({ summary }) => Object.keys(summary)))];
  return JSON.stringify({
    ids: rows.map(({ info }) => info.id),
    inodes: rows.map(({ info }) => Number(info.inode)),
    changes: rows.map(({ info }) => Number(info.changedNs)),
    bytes: rows.map(({ info }) => info.bytes),
    members,
    values: members.map((member) => rows.map(({ summary }) => (summary as Record<string, unknown>)[member] ?? null)),
  } satisfies Columns);
}

/** `text`: what `encodeRows` made; somebody has looked whether it is whole. */
export function decodeRows(text: string): IndexedRows {
  return rowsOf(JSON.parse(text) as Columns);
}

function rowsOf({ ids, inodes, changes, bytes, members, values }: Columns): IndexedRows {
  const rows = new Map(ids.map((id, row) => [id, row]));
  return {
    rowOf: (id) => rows.get(id),
    isOf: (row, info) =>
      bytes[row] === info.bytes && changes[row] === Number(info.changedNs) && inodes[row] === Number(info.inode),
    summary(row) {
      const found: Record<string, unknown> = {};
      for (let column = 0; column < members.length; column += 1) {
        const value = values[column]![row];
        if (value !== null) found[members[column]!] = value;
      }
      return found as unknown as SummaryRow;
    },
  };
}

export const NO_ROWS = rowsOf({ ids: [], inodes: [], changes: [], bytes: [], members: [], values: [] });
