// A terminal in memory, as small as the REPL and node:readline need. Keeps the rows that scrolled out, so that a test
// can see everything that a reader would. An unknown sequence fails the test that sends it.
import { graphemeWidth, splitGraphemes } from '../../lib/display/width.ts';

export interface VirtualScreen {
  readonly columns: number;
  readonly rows: number;
  readonly movable: boolean;
  write(text: string): void;
  /** Existing rows are wrapped again at the new width, as most terminals do. */
  resize(columns: number, rows: number): void;
  /** All lines, those that scrolled out too, without the spaces at their ends. */
  lines(): string[];
  /** The cells of the row with the cursor, up to the cursor. */
  cursorColumn(): number;
  /** The text of the row in which the cursor is, up to the cursor. */
  beforeCursor(): string;
}

const TOKEN = /\x1b\][^\x07]*\x07|\x1b\[([0-9;?]*)([A-Za-z])|[\r\n\t\b]|[^\x1b\r\n\t\b]+/g;

const BEGUN_SEQUENCE = /\x1b(?:\[[0-9;?]*|\][^\x07]*)?$/;

export function createVirtualScreen(columns: number, rows: number): VirtualScreen {
  const size = { columns, rows };
  const grid: string[][] = [[]];
  /** Rows that continue from the one above, because that was full. */
  let wrapped = new Set<number>();
  let row = 0;
  let column = 0;

  const lineFeed = () => {
    row++;
    wrapped.delete(row);
    grid[row] ??= [];
  };
  const put = (grapheme: string) => {
    const width = graphemeWidth(grapheme);
    if (width === 0) return;
    if (column + width > size.columns) {
      lineFeed();
      wrapped.add(row);
      column = 0;
    }
    grid[row]![column] = grapheme;
    if (width === 2) grid[row]![column + 1] = '';
    column += width;
  };
  const wrapAgain = () => {
    const rows: string[][] = [];
    const rowsWrapped = new Set<number>();
    let cursor = { row: 0, column: 0 };
    for (let first = 0; first < grid.length; ) {
      let next = first + 1;
      while (next < grid.length && wrapped.has(next)) next += 1;
      const cells = grid.slice(first, next).flatMap((cell) => Array.from(cell, (each) => each ?? ' '));
      const start = rows.length;
      for (let from = 0; from === 0 || from < cells.length; from += size.columns) {
        if (from > 0) rowsWrapped.add(rows.length);
        rows.push(cells.slice(from, from + size.columns));
      }
      if (row >= first && row < next) {
        const at = grid.slice(first, row).reduce((sum, { length }) => sum + length, 0) + column;
        cursor = { row: start + Math.floor(at / size.columns), column: at % size.columns };
      }
      first = next;
    }
    while (rows.length <= cursor.row) rows.push([]);
    grid.splice(0, grid.length, ...rows);
    wrapped = rowsWrapped;
    ({ row, column } = cursor);
  };
  /** The first line of the screen: those above it have scrolled out. */
  const top = () => Math.max(0, grid.length - size.rows);
  const erase = (parameters: string, final: string) => {
    if (parameters === '2' && final === 'J') for (let index = top(); index < grid.length; index++) grid[index] = [];
    else if (parameters === '3') return;
    else if (parameters === '2') grid[row] = [];
    else {
      grid[row]!.length = Math.min(grid[row]!.length, column);
      if (final === 'J') grid.length = row + 1;
    }
  };
  const sequence = (parameters: string, final: string) => {
    const count = Number(parameters) || 1;
    if ('mhl'.includes(final)) return;
    if (final === 'A') row = Math.max(top(), row - count);
    else if (final === 'B') row = Math.min(grid.length - 1, row + count);
    else if (final === 'C') column = Math.min(size.columns - 1, column + count);
    else if (final === 'D') column = Math.max(0, column - count);
    else if (final === 'G') column = count - 1;
    else if (final === 'H' && (parameters === '' || parameters === '1;1')) {
      row = top();
      column = 0;
    } else if (final === 'J' || final === 'K') erase(parameters, final);
    else throw new Error(`The screen does not know CSI ${parameters}${final}`);
  };

  /** The beginning of a sequence whose end comes with the next piece. */
  let begun = '';

  return {
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    movable: true,
    resize(newColumns, newRows) {
      size.columns = newColumns;
      size.rows = newRows;
      wrapAgain();
    },
    write(piece) {
      const all = begun + piece;
      begun = BEGUN_SEQUENCE.exec(all)?.[0] ?? '';
      const text = all.slice(0, all.length - begun.length);
      let taken = 0;
      for (const match of text.matchAll(TOKEN)) {
        const [token, parameters, final] = match;
        taken += token.length;
        if (final !== undefined) sequence(parameters!, final);
        else if (token.startsWith('\x1b]')) continue;
        else if (token === '\n') {
          lineFeed();
          column = 0;
        } else if (token === '\r') column = 0;
        else if (token === '\b') column = Math.max(0, column - 1);
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
    beforeCursor: () =>
      Array.from(grid[row] ?? [], (cell) => cell ?? ' ')
        .slice(0, column)
        .join(''),
  };
}
