// The bottom of the screen, which has one owner: lasting lines are printed above it, once; its rows are preliminary,
// redrawn in place, and erased at the end. If the cursor cannot be moved it has no rows.
import type { Paint, StyledLine } from '../../display/paint.ts';
import { fitLine, lineWidth } from '../../display/wrap.ts';
import type { Screen } from './screen.ts';

/** A row as it was drawn. */
interface ScreenRow {
  readonly text: string;
  /** Columns. */
  readonly width: number;
}

export class BottomRegion {
  readonly #screen: Screen;
  readonly #paint: Paint;
  /** The rows on the screen, with the cursor after the last row, or in a row above it. */
  #shown: readonly ScreenRow[] = [];
  #shownColumns = 0;
  /** The column of the cursor in its row. */
  #cursor = 0;
  /** How many rows are below that of the cursor. */
  #below = 0;
  /** The lines that made the rows. */
  #lines: readonly StyledLine[] = [];
  #column: number | undefined;
  #rowsBelow = 0;

  constructor(screen: Screen, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /**
   * Prints `settled`, then shows `lines` below in place of the earlier rows: each cut to the width, and only the last
   * ones if the screen has no room for all. The cursor is after the last row, or at `column` of the row that has
   * `rowsBelow` below it; without lines it is at the beginning of a line.
   */
  draw(lines: readonly StyledLine[], settled: readonly StyledLine[] = [], column?: number, rowsBelow = 0): void {
    this.#lines = lines;
    this.#column = column;
    this.#rowsBelow = rowsBelow;
    const { columns, rows, movable } = this.#screen;
    const open = movable ? lines.slice(1 - rows).map((line) => this.#rowOf(fitLine(line, columns - 1))) : [];
    const next = [...settled.map((line) => this.#rowOf(line)), ...open];
    const shown = this.#shown;
    const cursor = open.length === 0 ? 0 : Math.min(column ?? open.at(-1)!.width, columns - 1);
    const equal = this.#shownColumns === columns ? countEqual(shown, next) : 0;
    const isSame = settled.length === 0 && equal === shown.length && equal === next.length;
    const below = Math.max(0, Math.min(rowsBelow, open.length - 1));
    if (isSame && cursor === this.#cursor && below === this.#below) return;
    // The last row is always written, so that the cursor ends after it.
    const kept = Math.min(equal, Math.max(0, next.length - 1));
    let output = toLastRow(shown, columns, { cursor: this.#cursor, below: this.#below });
    const cursorBefore = this.#below === 0 ? this.#cursor : shown.at(-1)!.width;
    if (kept < shown.length) output += backOver(shown.slice(kept), columns, cursorBefore);
    else if (shown.length > 0 && next.length > kept) output += '\n';
    output += next
      .slice(kept)
      .map(({ text }) => text)
      .join('\n');
    if (open.length === 0 && next.length > 0) output += '\n';
    else if (open.length > 0 && column !== undefined)
      output += `${below > 0 ? `\x1b[${below}A` : ''}${cursor > 0 ? `\r\x1b[${cursor}C` : '\r'}`;
    this.#shown = open;
    this.#shownColumns = columns;
    this.#cursor = cursor;
    this.#below = below;
    if (output !== '') this.#screen.write(output);
  }

  /** Prints lines that stay, above the rows. */
  print(settled: readonly StyledLine[]): void {
    this.draw(this.#lines, settled, this.#column, this.#rowsBelow);
  }

  /** Takes the rows away. Harmless when none are shown. */
  clear(): void {
    this.draw([]);
  }

  #rowOf(line: StyledLine): ScreenRow {
    return { text: this.#paint.line(line), width: lineWidth(line) };
  }
}

/** From the row of the cursor down to the last one; the terminal may be narrower than it was. */
function toLastRow(
  rows: readonly ScreenRow[],
  columns: number,
  { cursor, below }: { readonly cursor: number; readonly below: number },
): string {
  if (below === 0) return '';
  const heights = rows.slice(-below - 1).map(({ width }) => Math.max(1, Math.ceil(width / columns)));
  const down = heights.reduce((sum, height) => sum + height, 0) - 1 - Math.floor(cursor / columns);
  return down > 0 ? `\x1b[${down}B` : '';
}

/** From the cursor in the last row back to the beginning of the first; the terminal may be narrower than it was. */
function backOver(rows: readonly ScreenRow[], columns: number, cursor: number): string {
  const above = rows.slice(0, -1).reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  const taken = above + Math.max(0, Math.ceil(cursor / columns) - 1);
  return `${taken > 0 ? `\x1b[${taken}A` : ''}\r\x1b[J`;
}

function countEqual(one: readonly ScreenRow[], other: readonly ScreenRow[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count]!.text === other[count]!.text) count++;
  return count;
}
