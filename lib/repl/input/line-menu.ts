// Rows below the line that is being edited, which say what it could become. They are drawn behind the line and taken
// away before the line changes; the cursor stays in the line.
import type { Line, Paint } from '../../display/paint.ts';
import { fitLine } from '../../display/wrap.ts';
import type { Screen } from '../render/screen.ts';

export interface LineMenuOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  /** The rows for a text; none where there is nothing to say. */
  readonly rowsFor: (text: string, columns: number) => readonly Line[];
  /** Calls back when there may be other rows for the same text. Default: there never are. */
  readonly onMore?: ((listener: () => void) => unknown) | undefined;
}

/** The prompt and its status line, and a row to spare. */
const KEPT_ROWS = 4;
const MOST_ROWS = 8;

export class LineMenu {
  readonly #options: LineMenuOptions;
  /** What is below the line; empty: nothing. */
  #shown = '';

  constructor(options: LineMenuOptions) {
    this.#options = options;
  }

  get isShown(): boolean {
    return this.#shown !== '';
  }

  /**
   * `column`: of the cursor, which is at the end of the text, in its last row. Where the same rows are shown already,
   * nothing is drawn.
   */
  draw(text: string, column: number): void {
    const { screen } = this.#options;
    const rows = column < screen.columns - 1 ? this.#rowsFor(text) : [];
    const below = rows.map((row) => `\r\n${row}`).join('');
    if (below === this.#shown) return;
    const back = rows.length === 0 ? '' : `\x1b[${rows.length}A\r${column > 0 ? `\x1b[${column}C` : ''}`;
    screen.write(`${this.isShown ? '\x1b[J' : ''}${below}${back}`);
    this.#shown = below;
  }

  #rowsFor(text: string): string[] {
    const { screen, paint, rowsFor } = this.#options;
    const room = Math.min(MOST_ROWS, screen.rows - KEPT_ROWS);
    const columns = screen.columns - 1;
    const rows = room < 1 ? [] : rowsFor(text, columns).slice(0, room);
    return rows.map((row) => paint.line(fitLine(row, columns)));
  }

  /** The cursor is where it was at the drawing. Harmless when nothing is shown. */
  clear(): void {
    if (!this.isShown) return;
    this.#shown = '';
    this.#options.screen.write('\x1b[J');
  }
}
