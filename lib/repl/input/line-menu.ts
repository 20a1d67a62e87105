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
}

/** The prompt and its status line, and a row to spare. */
const KEPT_ROWS = 4;
const MOST_ROWS = 8;

export class LineMenu {
  readonly #options: LineMenuOptions;
  #isShown = false;

  constructor(options: LineMenuOptions) {
    this.#options = options;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /** `column`: of the cursor, which is at the end of the text, in its last row. */
  draw(text: string, column: number): void {
    const { screen, paint, rowsFor } = this.#options;
    const room = Math.min(MOST_ROWS, screen.rows - KEPT_ROWS);
    if (room < 1 || column >= screen.columns - 1) return;
    const rows = rowsFor(text, screen.columns - 1).slice(0, room);
    if (rows.length === 0) return;
    const below = rows.map((row) => `\r\n${paint.line(fitLine(row, screen.columns - 1))}`).join('');
    screen.write(`${below}\x1b[${rows.length}A\r${column > 0 ? `\x1b[${column}C` : ''}`);
    this.#isShown = true;
  }

  /** The cursor is where it was at the drawing. Harmless when nothing is shown. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#options.screen.write('\x1b[J');
  }
}
