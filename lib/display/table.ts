// Aligned columns that fit the terminal: the growing column is cut to the room that is left, and others are dropped on
// a narrow terminal.
import { printableLine } from './printable.ts';
import { fitWidth, textWidth } from './width.ts';

export interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  /** Shown in place of an empty cell. */
  readonly empty?: string;
  readonly align?: 'left' | 'right';
  /** Takes the room that the other columns leave. Should be the last one. */
  readonly grows?: boolean;
  /** Not shown on a terminal narrower than this. */
  readonly dropAt?: number;
  readonly style?: (text: string) => string;
}

export interface TableOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly header: (text: string) => string;
}

const GAP = '  ';
const ROWS_PER_BLOCK = 500;

/** The table in blocks of whole lines. Cells may hold any text: control characters are made visible. */
export function* renderTable(
  columns: readonly Column[],
  { width, header }: TableOptions,
): Generator<string, void, void> {
  const shown = columns.filter(({ dropAt = 0 }) => width >= dropAt).map(measured);
  const fixed = shown.reduce((sum, { room }) => sum + room, GAP.length * (shown.length - 1));
  for (const column of shown) if (column.grows) column.room = Math.max(1, width - fixed);
  let block = lineOf(shown, (column) => laidOut(column, column.title, header));
  const rows = shown[0]?.texts.length ?? 0;
  for (let row = 0; row < rows; row += 1) {
    block += lineOf(shown, (column) => laidOut(column, column.texts[row] ?? '', column.style));
    if ((row + 1) % ROWS_PER_BLOCK !== 0) continue;
    yield block;
    block = '';
  }
  yield block;
}

interface Measured {
  readonly title: string;
  readonly texts: readonly string[];
  readonly grows: boolean;
  readonly isRight: boolean;
  readonly isLast: boolean;
  readonly style: (text: string) => string;
  /** Columns of the terminal; 0 for the growing one until they are known. */
  room: number;
}

function measured(
  { title, cells, empty = '', align, grows = false, style = String }: Column,
  index: number,
  { length }: readonly Column[],
): Measured {
  const texts = cells.map((cell) => (cell === '' ? empty : printableLine(cell)));
  const room = grows ? 0 : texts.reduce((widest, text) => Math.max(widest, textWidth(text)), textWidth(title));
  return { title, texts, grows, isRight: align === 'right', isLast: index === length - 1, style, room };
}

function laidOut({ room, isRight, isLast }: Measured, cell: string, style: (text: string) => string): string {
  const text = fitWidth(cell, room);
  const space = isLast && !isRight ? '' : ' '.repeat(Math.max(0, room - textWidth(text)));
  return isRight ? space + style(text) : style(text) + space;
}

function lineOf(columns: readonly Measured[], cellOf: (column: Measured) => string): string {
  return `${columns.map(cellOf).join(GAP).trimEnd()}\n`;
}
