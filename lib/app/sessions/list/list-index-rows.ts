// The rows of a list's index as the sections of its file. What a list prints is made here once; what it is made of is kept
// too, a column for each member that a summary may have: ten thousand rows are read in half of the time that as many objects
// take, because no name of a member is repeated.
import { JOURNAL_EXTENSION } from '../../../journal/paths.ts';
import type { JournalFileInfo } from '../../../journal/types.ts';
import { millisecondsOf } from '../../../platform/files/glance.ts';
import type { SummaryRow } from '../../../projections/summary.ts';
import { FORMS, type ListForm } from './list-forms.ts';
import { bytesOf, type SectionBytes } from './list-index-file.ts';
import { activityOf, ORDERS, orderlyRow } from './session-row.ts';

export interface IndexedRow {
  /** What the journal was like when it was summarized. */
  readonly info: JournalFileInfo;
  readonly summary: SummaryRow;
}

interface Columns {
  readonly members: readonly string[];
  /** One for each member; null where a summary has none. */
  readonly values: readonly (readonly unknown[])[];
}

/** An activity is one line of its section, and one cell as it is: a time. Whoever wrote something else there gets no row. */
export function isWorthKeeping({ lastActivity }: SummaryRow): boolean {
  return /^[\x21-\x7e]*$/.test(lastActivity);
}

export function encodeRows(rows: readonly IndexedRow[]): SectionBytes {
  const byName = rows
    .map(({ info, summary }) => ({ name: info.id + JOURNAL_EXTENSION, info, summary, row: orderlyRow(info, summary) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const ranked = [...byName.entries()].sort(([, a], [, b]) => ORDERS.activity(a.row, b.row));
  const glances = Float64Array.from(byName.flatMap(({ info }) => glance(info)));
  const order = Uint32Array.from(ranked, ([number]) => number);
  const sorted = ranked.map(([, { row }]) => row);
  const lines = formed('lines');
  const documents = formed('documents');

  function formed(form: ListForm): { readonly text: Uint8Array; readonly ends: Uint32Array } {
    const { of, between } = FORMS[form];
    const pieces = sorted.map((row) => `${of(row)}${between}`);
    let end = 0;
    const ends = Uint32Array.from(pieces, (piece) => (end += Buffer.byteLength(piece)));
    return { text: Buffer.from(pieces.join('')), ends };
  }

  return {
    glances: bytesOf(glances),
    ids: Buffer.from(byName.map(({ info }) => info.id).join('\n')),
    closed: Uint8Array.from(byName, ({ summary }) => (summary.closed ? 1 : 0)),
    summaries: Buffer.from(encodeSummaries(byName)),
    order: bytesOf(order),
    activities: Buffer.from(sorted.map(activityOf).join('\n')),
    linesEnds: bytesOf(lines.ends),
    lines: lines.text,
    documentsEnds: bytesOf(documents.ends),
    documents: documents.text,
  };
}

/** The same numbers as `FileSystem.glance` has. */
function glance({ inode, bytes, changedNs, modifiedMs }: JournalFileInfo): number[] {
  return [Number(inode), bytes, millisecondsOf(changedNs), modifiedMs];
}

function encodeSummaries(rows: readonly IndexedRow[]): string {
  const members = [...new Set(rows.flatMap(({ summary }) => Object.keys(summary)))];
  return JSON.stringify({
    members,
    values: members.map((member) => rows.map(({ summary }) => (summary as Record<string, unknown>)[member] ?? null)),
  } satisfies Columns);
}

/** `bytes`: of the section; somebody has looked whether it is whole. Each is put together when it is asked for. */
export function decodeSummaries(bytes: Uint8Array): (row: number) => SummaryRow {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const { members, values } = JSON.parse(text) as Columns;
  return (row) => {
    const found: Record<string, unknown> = {};
    for (let column = 0; column < members.length; column += 1) {
      const value = values[column]![row];
      if (value !== null) found[members[column]!] = value;
    }
    return found as unknown as SummaryRow;
  };
}
