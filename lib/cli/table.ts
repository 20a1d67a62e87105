// Aligned columns that fit the terminal: the growing one is cut to what is left, others leave where it is narrow. Made in bytes:
// a table may have ten thousand rows, and nearly all of their cells are ASCII, of which no text need be made to print them.
import { printableLine } from '../display/printable.ts';
import { fitWidth, textWidth } from '../display/width.ts';
import { ByteBlock } from './byte-block.ts';

/** Where each cell lies in bytes of UTF-8: one line that can be shown as it is. */
export interface Cells {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

export interface Column {
  readonly title: string;
  readonly cells: Cells;
  /** Stands where a cell is empty. */
  readonly empty?: string;
  readonly align?: 'left' | 'right';
  /** Takes what the others leave. The last one should. */
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
const SIGN = '…';
const SIGN_BYTES = Buffer.from(SIGN);
const BLOCK_BYTES = 65_536;
const FIRST_BEYOND_ASCII = 0x80;

/** Texts of any kind. */
export function cellsOf(texts: readonly string[]): Cells {
  return encodedCells(texts.map(printableLine));
}

/** Texts that can be shown as they are. */
export function encodedCells(texts: readonly string[]): Cells {
  const starts = new Uint32Array(texts.length);
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let row = 0; row < texts.length; row += 1) {
    starts[row] = end;
    end += Buffer.byteLength(texts[row]!);
    ends[row] = end;
  }
  return { bytes: Buffer.from(texts.join('')), starts, ends };
}

/** In blocks of whole lines. Their memory is used again for the next one. */
export function* renderTable(
  columns: readonly Column[],
  { width, header }: TableOptions,
): Generator<Uint8Array, void, void> {
  const shown = columns.filter(({ dropAt = 0 }) => width >= dropAt).map(measured);
  const gaps = GAP.length * (shown.length - 1);
  const fixed = shown.reduce((sum, { room }) => sum + room, gaps);
  for (const column of shown) if (column.grows) column.room = Math.max(1, width - fixed);
  const block = new ByteBlock(BLOCK_BYTES);
  block.putText(`${headerOf(shown, header)}\n`);
  const most = shown.reduce((sum, column) => sum + mostBesideCell(column), gaps + 1);
  const rows = shown[0]?.cells.starts.length ?? 0;
  for (let row = 0; row < rows; row += 1) {
    let needed = most;
    for (const { cells } of shown) needed += cells.ends[row]! - cells.starts[row]!;
    if (!block.hasRoomFor(needed)) yield block.taken(needed);
    const start = block.length;
    for (const column of shown) putCell(block, column, row);
    block.endLine(start);
  }
  yield block.taken(0);
}

/** A column as it is printed. */
interface Measured {
  readonly title: string;
  readonly cells: Cells;
  readonly empty: string;
  readonly isRight: boolean;
  readonly grows: boolean;
  /** What stands before and behind each cell. */
  readonly open: Uint8Array;
  readonly close: Uint8Array;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Columns of the terminal; as long as they are not known for one that grows, none. */
  room: number;
}

function measured(
  { title, cells, empty = '', align, grows = false, style = String }: Column,
  index: number,
  { length }: readonly Column[],
): Measured {
  const [open, close] = style(SIGN).split(SIGN);
  const room = grows ? 0 : Math.max(textWidth(title), widestOf(cells, textWidth(empty)));
  const place = { isFirst: index === 0, isLast: index === length - 1, isRight: align === 'right' };
  return { title, cells, empty, grows, room, open: Buffer.from(open!), close: Buffer.from(close!), ...place };
}

function widestOf({ bytes, starts, ends }: Cells, emptyWidth: number): number {
  let widest = 0;
  for (let row = 0; row < starts.length; row += 1) {
    const start = starts[row]!;
    const end = ends[row]!;
    const length = end - start;
    // No cell takes more columns than bytes.
    if (length > widest)
      widest = Math.max(widest, isAscii(bytes, start, end) ? length : textWidth(textOf(bytes, start, end)));
    else if (length === 0) widest = Math.max(widest, emptyWidth);
  }
  return widest;
}

function headerOf(shown: readonly Measured[], header: (text: string) => string): string {
  const titles = shown.map(({ title, room, isRight, isLast }) => {
    const text = fitWidth(title, room);
    const space = isLast && !isRight ? '' : ' '.repeat(room - textWidth(text));
    return isRight ? space + header(text) : header(text) + space;
  });
  return titles.join(GAP).trimEnd();
}

/** In bytes: what stands around a cell, or in the place of its end. */
function mostBesideCell({ open, close, empty, room, isRight, isLast }: Measured): number {
  const space = isLast && !isRight ? 0 : room;
  return open.length + close.length + Buffer.byteLength(empty) + SIGN_BYTES.length + space;
}

function putCell(block: ByteBlock, column: Measured, row: number): void {
  const { cells, room, open, close, isRight, isFirst, isLast } = column;
  const { bytes } = cells;
  const start = cells.starts[row]!;
  const end = cells.ends[row]!;
  const length = end - start;
  const isPlain = length > 0 && isAscii(bytes, start, Math.min(end, start + room + 1));
  const text = isPlain ? '' : fitWidth(length === 0 ? column.empty : textOf(bytes, start, end), room);
  const space = isPlain ? Math.max(0, room - length) : room - textWidth(text);
  if (!isFirst) block.putBlanks(GAP.length);
  if (isRight) block.putBlanks(space);
  block.put(open);
  if (!isPlain) block.putText(text);
  else if (length <= room) block.put(bytes, start, end);
  else {
    block.put(bytes, start, start + room - 1);
    block.put(SIGN_BYTES);
  }
  block.put(close);
  if (!isRight && !isLast) block.putBlanks(space);
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at]! >= FIRST_BEYOND_ASCII) return false;
  return true;
}

function textOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}
