// The bottom of the screen, which has one owner: lines that stay are printed above it, once; the rows in it are
// preliminary, redrawn in place, and leave nothing behind. Where the cursor cannot be moved it has no rows.
import type { Line, Paint } from '../../display/paint.ts';
import { fitLine, lineWidth } from '../../display/wrap.ts';
import type { Screen } from './screen.ts';

/** A row as it was drawn. */
interface Row {
  readonly text: string;
  /** Columns. */
  readonly width: number;
}

export class BottomRegion {
  readonly #screen: Screen;
  readonly #paint: Paint;
  /** The rows on the screen, with the cursor behind the last one. */
  #shown: readonly Row[] = [];
  #shownColumns = 0;
  /** What the rows were made of. */
  #lines: readonly Line[] = [];

  constructor(screen: Screen, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /**
   * Prints `settled`, then shows `lines` below in place of the rows before: each cut to the width, the last ones where
   * the screen has no room for all. Without lines the cursor is at the beginning of a line.
   */
  draw(lines: readonly Line[], settled: readonly Line[] = []): void {
    this.#lines = lines;
    const { columns, rows, movable } = this.#screen;
    const open = movable ? lines.slice(1 - rows).map((line) => this.#rowOf(fitLine(line, columns - 1))) : [];
    const next = [...settled.map((line) => this.#rowOf(line)), ...open];
    const shown = this.#shown;
    const equal = this.#shownColumns === columns ? countEqual(shown, next) : 0;
    if (settled.length === 0 && equal === shown.length && equal === next.length) return;
    // The last row is always written, so that the cursor ends up behind it.
    const kept = Math.min(equal, Math.max(0, next.length - 1));
    let output = '';
    if (kept < shown.length) output = backOver(shown.slice(kept), columns);
    else if (shown.length > 0 && next.length > kept) output = '\n';
    output += next
      .slice(kept)
      .map(({ text }) => text)
      .join('\n');
    if (open.length === 0 && next.length > 0) output += '\n';
    this.#shown = open;
    this.#shownColumns = columns;
    if (output !== '') this.#screen.write(output);
  }

  /** Prints lines that stay, above the rows. */
  print(settled: readonly Line[]): void {
    this.draw(this.#lines, settled);
  }

  /** Takes the rows away. Harmless when none are shown. */
  clear(): void {
    this.draw([]);
  }

  #rowOf(line: Line): Row {
    return { text: this.#paint.line(line), width: lineWidth(line) };
  }
}

/** From the end of the last row back to the beginning of the first; the terminal may be narrower than it was. */
function backOver(rows: readonly Row[], columns: number): string {
  const taken = rows.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  return `${taken > 1 ? `\x1b[${taken - 1}A` : ''}\r\x1b[J`;
}

function countEqual(one: readonly Row[], other: readonly Row[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count]!.text === other[count]!.text) count++;
  return count;
}
