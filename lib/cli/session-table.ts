// How a list of sessions looks on a terminal: short ids and times for a person, as many columns as there is room for. Ten
// thousand sessions are a list as well: what is in a line is cut out of it when it is printed, and nothing of it is kept.
import type { ListedLines } from '../app/sessions/list/listed-lines.ts';
import { formatBytes } from '../display/quantities.ts';
import { relativeTime } from '../display/relative-time.ts';
import type { Output } from './output.ts';
import { shortIds } from './short-ids.ts';
import { type Cells, type Column, encodedCells, renderTable } from './table.ts';

/** Of a line. */
const CELLS = 5;
const TAB = 0x09;
const LINE_FEED = 0x0a;

/** In blocks of whole lines. Their memory is used again for the next one. */
export function sessionTable(
  { text, bytes, byName }: ListedLines,
  { colors, columns: width }: Pick<Output, 'colors' | 'columns'>,
  nowMs: number,
): Iterable<Uint8Array> {
  const [ids, activities, counts, models, titles] = columnsOf(text, bytes.length);
  const times = textsOf(activities).map((activity) => relativeTime(activity, nowMs));
  const columns: Column[] = [
    { title: 'ID', cells: shortIds(ids, byName), style: colors.cyan },
    { title: 'ACTIVITY', cells: encodedCells(times), style: colors.dim },
    { title: 'MESSAGES', cells: counts, empty: '?', align: 'right', dropAt: 50 },
    { title: 'SIZE', cells: encodedCells(bytes.map(formatBytes)), align: 'right', dropAt: 70 },
    { title: 'MODEL', cells: models, style: colors.dim, dropAt: 90 },
    { title: 'TITLE', cells: titles, grows: true },
  ];
  return renderTable(columns, { width, header: colors.dim });
}

type Five<Each> = readonly [Each, Each, Each, Each, Each];

/** Of `length` lines with tabs between their cells. */
function columnsOf(bytes: Uint8Array, length: number): Five<Cells> {
  const column = (): Cells => ({ bytes, starts: new Uint32Array(length), ends: new Uint32Array(length) });
  const columns: Five<Cells> = [column(), column(), column(), column(), column()];
  let cell = 0;
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== TAB && bytes[at] !== LINE_FEED) continue;
    const { starts, ends } = columns[cell % CELLS]!;
    const row = Math.floor(cell / CELLS);
    starts[row] = start;
    ends[row] = at;
    start = at + 1;
    cell += 1;
  }
  return columns;
}

/** Times, of which those that are any are ASCII. */
function textsOf({ bytes: { buffer, byteOffset, byteLength }, starts, ends }: Cells): string[] {
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  return Array.from(starts, (start, row) => text.slice(start, ends[row]));
}
