// A terminal in memory, as small as the REPL's drawing needs: text, line feeds, cursor up, erase below, erase line. Keeps
// what scrolled out, so that a test can see all that a reader would. Unknown sequences fail the test that sends them.
import { graphemeWidth, splitGraphemes } from '../../lib/repl/render/width.ts';

export interface VirtualScreen {
  readonly columns: number;
  readonly rows: number;
  readonly movable: boolean;
  write(text: string): void;
  /** All lines, those that scrolled out too, without the spaces at their ends. */
  lines(): string[];
  /** The cells of the row in which the cursor stands, up to the cursor. */
  cursorColumn(): number;
}

const TOKEN = /\x1b\[([0-9;?]*)([A-Za-z])|[\r\n\t]|[^\x1b\r\n\t]+/g;

export function createVirtualScreen(columns: number, rows: number): VirtualScreen {
  const grid: string[][] = [[]];
  let row = 0;
  let column = 0;

  const lineFeed = () => {
    row++;
    grid[row] ??= [];
  };
  const put = (grapheme: string) => {
    const width = graphemeWidth(grapheme);
    if (width === 0) return;
    if (column + width > columns) {
      lineFeed();
      column = 0;
    }
    grid[row]![column] = grapheme;
    if (width === 2) grid[row]![column + 1] = '';
    column += width;
  };
  const sequence = (parameters: string, final: string) => {
    const count = Number(parameters) || 1;
    if (final === 'm' || final === 'h' || final === 'l') return;
    if (final === 'A') row = Math.max(0, grid.length - rows, row - count);
    else if (final === 'J' && parameters === '') {
      grid[row]!.length = Math.min(grid[row]!.length, column);
      grid.length = row + 1;
    } else if (final === 'K' && parameters === '') grid[row]!.length = Math.min(grid[row]!.length, column);
    else throw new Error(`The screen does not know CSI ${parameters}${final}`);
  };

  return {
    columns,
    rows,
    movable: true,
    write(text) {
      let taken = 0;
      for (const match of text.matchAll(TOKEN)) {
        const [token, parameters, final] = match;
        taken += token.length;
        if (final !== undefined) sequence(parameters!, final);
        else if (token === '\n') {
          lineFeed();
          column = 0;
        } else if (token === '\r') column = 0;
        else if (token === '\t') for (const stop = column + 8 - (column % 8); column < stop; ) put(' ');
        else for (const grapheme of splitGraphemes(token)) put(grapheme);
      }
      if (taken !== text.length) throw new Error(`The screen cannot show ${JSON.stringify(text)}`);
    },
    lines: () =>
      grid.map((cells) =>
        Array.from(cells, (cell) => cell ?? ' ')
          .join('')
          .trimEnd(),
      ),
    cursorColumn: () => column,
  };
}
