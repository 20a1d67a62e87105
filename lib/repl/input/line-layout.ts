// A text with line breaks as rows of a screen: which part of it is in which row, how that is shown, and where the
// cursor is. Pure. The rows hold the whole text; none is wider than its room.
import { printableName } from '../../display/printable.ts';
import { sanitize } from '../../display/sanitize.ts';
import { graphemeWidth, splitGraphemes } from '../../display/width.ts';

interface LayoutRow {
  /** The start of its part of the text, which excludes the line break at its end. */
  readonly start: number;
  readonly end: number;
  /** As it is shown. */
  readonly shown: string;
  /** Columns of that. */
  readonly width: number;
  /** Whether it begins a line of the text. */
  readonly isFirst: boolean;
}

export interface Room {
  /** Columns of the first row, and of all others. */
  readonly first: number;
  readonly others: number;
}

const TAB = '    ';
const PLAIN = /^[\x20-\x7e]*$/;

export function layOut(text: string, { first, others }: Room): readonly LayoutRow[] {
  const rows: LayoutRow[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    for (const [index, { length, shown, width }] of rowsOf(
      line,
      rows.length === 0 ? first : others,
      others,
    ).entries()) {
      rows.push({ start, end: start + length, shown, width, isFirst: index === 0 });
      start += length;
    }
    start += 1;
  }
  return rows;
}

/** The row and the column of the cursor. Where a row is full, the cursor is at the beginning of the next. */
export function placeIn(
  rows: readonly LayoutRow[],
  { text, cursor }: { readonly text: string; readonly cursor: number },
): { readonly row: number; readonly column: number } {
  const row = rows.findLastIndex(({ start, end }) => start <= cursor && cursor <= end);
  return { row, column: cells(text.slice(rows[row]!.start, cursor)).reduce((sum, { width }) => sum + width, 0) };
}

/** The index of the character at a column, or of the end of the row. */
export function indexAt(text: string, rows: readonly LayoutRow[], row: number, column: number): number {
  const { start, end } = rows[row]!;
  let [at, passed, last] = [start, 0, start];
  for (const { length, width } of cells(text.slice(start, end))) {
    if (passed + width > column) return at;
    last = at;
    at += length;
    passed += width;
  }
  // The end of a row that continues in the next belongs to that one.
  return rows[row + 1]?.isFirst === false ? last : at;
}

/** Signs at the start of the rows after the first one; each as wide as the last. */
const NEW_LINE = '… ';
export const SAME_LINE = '  ';
const MORE_ABOVE = '↑ ';
const MORE_BELOW = '↓ ';
export const SIGN_COLUMNS = 2;

export interface VisibleRow extends LayoutRow {
  /** The sign at its start; undefined: the prompt, because it is the first row of the text. */
  readonly sign: string | undefined;
}

/** The `count` rows from `top` on, with signs that say whether there are more. */
export function visibleRows(rows: readonly LayoutRow[], top: number, count: number): readonly VisibleRow[] {
  return rows.slice(top, top + count).map((row, index) => {
    const isTop = top + index === 0;
    if (index === 0 && !isTop) return { ...row, sign: MORE_ABOVE };
    if (index === count - 1 && top + count < rows.length && !isTop) return { ...row, sign: MORE_BELOW };
    return { ...row, sign: isTop ? undefined : row.isFirst ? NEW_LINE : SAME_LINE };
  });
}

/** The first row that is shown where `count` have room: the one of before, if the cursor is seen then. */
export function topFor(cursorRow: number, rowCount: number, count: number, before: number): number {
  const top = Math.max(0, Math.min(before, cursorRow, rowCount - count));
  return cursorRow >= top + count ? cursorRow - count + 1 : top;
}

interface Cell {
  readonly length: number;
  readonly shown: string;
  readonly width: number;
}

function rowsOf(line: string, first: number, others: number): readonly Cell[] {
  const rows: Cell[] = [];
  let [length, shown, width] = [0, '', 0];
  const room = () => Math.max(1, rows.length === 0 ? first : others);
  for (const cell of cells(line)) {
    if (width > 0 && width + cell.width > room()) {
      rows.push({ length, shown, width });
      [length, shown, width] = [0, '', 0];
    }
    length += cell.length;
    shown += cell.shown;
    width += cell.width;
  }
  return [...rows, { length, shown, width }];
}

function cells(line: string): readonly Cell[] {
  if (PLAIN.test(line)) return Array.from(line, (shown) => ({ length: 1, shown, width: 1 }));
  return splitGraphemes(line).map((grapheme) => {
    const shown = shownAs(grapheme);
    const width = splitGraphemes(shown).reduce((sum, each) => sum + graphemeWidth(each), 0);
    return { length: grapheme.length, shown, width };
  });
}

/** No character moves the cursor or hides. */
function shownAs(grapheme: string): string {
  if (grapheme === '\t') return TAB;
  return sanitize(grapheme) === grapheme && grapheme !== '\r'
    ? grapheme
    : printableName(grapheme, { isTerminal: true });
}
