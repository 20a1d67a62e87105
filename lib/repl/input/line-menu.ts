// Rows with completions below the line that is being edited.
import type { Paint, StyledLine } from '../../display/paint.ts';
import { fitLine } from '../../display/wrap.ts';
import type { Screen } from '../render/screen.ts';

export interface LineMenuOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  /** The rows for a text; none where there is nothing to say. */
  readonly rowsFor: (text: string, columns: number) => readonly StyledLine[];
  /** Calls back when there may be other rows for the same text. Default: there never are. */
  readonly onMore?: ((listener: () => void) => unknown) | undefined;
}

/** The prompt and its status line, and a row to spare. */
const KEPT_ROWS = 4;
const MOST_ROWS = 8;

/** `textRows`: how many rows the text takes. */
export function menuRows({ screen, paint, rowsFor }: LineMenuOptions, text: string, textRows: number): string[] {
  const room = Math.min(MOST_ROWS, screen.rows - KEPT_ROWS - (textRows - 1));
  const columns = screen.columns - 1;
  const rows = room < 1 ? [] : rowsFor(text, columns).slice(0, room);
  return rows.map((row) => paint.line(fitLine(row, columns)));
}
