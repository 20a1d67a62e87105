// Aligned columns that fit a width. Cells are cut to their column, or wrapped in it; the growing column takes the room
// that is left, and others are dropped on a narrow screen. Where wrapped columns would be too narrow to read, each row
// becomes lines of “heading: value”.
import { type Style, type StyledLine, type StyledSpan, spanOf } from './paint.ts';
import { printableLine } from './printable.ts';
import { fitLine, lineWidth, wrapSpans } from './wrap.ts';

/** Text may hold anything: its control characters are made visible. Spans are safe already. */
export type Cell = string | StyledLine;

export interface Column {
  readonly title: Cell;
  readonly cells: readonly Cell[];
  readonly align?: 'left' | 'right' | 'center' | null;
  /** Takes the room that the other columns leave. Should be the last one. */
  readonly grows?: boolean;
  /** Is cut where the screen has too little room for all columns: the widest of these first. */
  readonly shrinks?: boolean;
  /** Not shown on a screen narrower than this. */
  readonly dropAt?: number;
  readonly style?: Style;
}

interface TableOptions {
  /** Columns of the screen. */
  readonly width: number;
  readonly header: Style;
  readonly gap?: StyledSpan;
  /** Whether long cells are wrapped, not cut, below a rule. */
  readonly wraps?: boolean;
}

interface Measured extends Pick<Column, 'align' | 'grows' | 'shrinks'> {
  readonly title: StyledLine;
  readonly cells: readonly StyledLine[];
  room: number;
  readonly isLast: boolean;
}

const GAP: StyledSpan = spanOf('  ');
/** A column that is wrapped or cut is not made narrower than this. */
const NARROWEST = 6;

/** The lines of a table, row by row as they are asked for. */
export function* tableLines(columns: readonly Column[], options: TableOptions): Generator<StyledLine, void, void> {
  const { width, header, gap = GAP, wraps = false } = options;
  const shown = columns
    .filter(({ dropAt = 0 }) => width >= dropAt)
    .map((column, ...at) => measured(column, header, at));
  const rows = shown[0]?.cells.length ?? 0;
  if (!shareRoom(shown, width - gap.text.length * (shown.length - 1), wraps)) {
    yield* recordLines(shown, rows, width);
    return;
  }
  const lines = (cellOf: (column: Measured) => StyledLine) => rowLines(shown, cellOf, { gap, wraps });
  yield* lines(({ title }) => title);
  if (wraps) yield [spanOf(shown.map(({ room }) => '─'.repeat(room)).join('─┼─'), 'dim')];
  for (let row = 0; row < rows; row += 1) yield* lines(({ cells }) => cells[row] ?? []);
}

function measured(
  { title, cells, align, grows, shrinks, style }: Column,
  header: Style,
  [index, { length }]: readonly [index: number, columns: readonly Column[]],
): Measured {
  const lineOf = (cell: Cell, ...styles: readonly Style[]): StyledLine =>
    typeof cell === 'string'
      ? [spanOf(printableLine(cell), ...styles)]
      : cell.map((span) => ({ ...span, styles: [...span.styles, ...styles] }));
  const styles = style === undefined ? [] : [style];
  const head = lineOf(title, header);
  const lines = cells.map((cell) => lineOf(cell, ...styles));
  const room = grows ? 0 : lines.reduce((widest, line) => Math.max(widest, lineWidth(line)), lineWidth(head));
  return { title: head, cells: lines, align, grows, shrinks, room: Math.max(1, room), isLast: index === length - 1 };
}

/**
 * Gives the growing column the remaining room; where there is none, the widest column gives some, if it is wrapped or
 * shrinks. False if wrapped columns cannot be read then.
 */
function shareRoom(columns: readonly Measured[], width: number, wraps: boolean): boolean {
  let left = columns.reduce((sum, { room, grows }) => sum - (grows ? 0 : room), width);
  for (const column of columns) if (column.grows) column.room = Math.max(1, left);
  const giving = wraps ? columns : columns.filter(({ shrinks }) => shrinks);
  for (; giving.length > 0 && left < 0; left += 1) {
    const widest = giving.reduce((one, other) => (other.room > one.room ? other : one));
    if (widest.room <= NARROWEST) return !wraps;
    widest.room -= 1;
  }
  return true;
}

function rowLines(
  columns: readonly Measured[],
  cellOf: (column: Measured) => StyledLine,
  { gap, wraps }: { readonly gap: StyledSpan; readonly wraps: boolean },
): StyledLine[] {
  const fitted = columns.map((column) => {
    const cell = cellOf(column);
    return wraps ? wrapSpans(cell, column.room) : [fitLine(cell, column.room)];
  });
  const height = Math.max(...fitted.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) =>
    withoutEnd(
      columns.flatMap((column, at) => {
        const cell = padded(fitted[at]![index] ?? [], column);
        return at === 0 ? cell : [gap, ...cell];
      }),
    ),
  );
}

function* recordLines(columns: readonly Measured[], rows: number, width: number): Generator<StyledLine, void, void> {
  for (let row = 0; row < rows; row += 1) {
    if (row > 0) yield [];
    for (const { title, cells } of columns) {
      yield* wrapSpans([...title, spanOf(': '), ...(cells[row] ?? [])], width);
    }
  }
}

function padded(line: StyledLine, { room, align, isLast }: Measured): StyledLine {
  const isLeft = align !== 'right' && align !== 'center';
  const free = isLast && isLeft ? 0 : Math.max(0, room - lineWidth(line));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return [spaces(before), ...line, spaces(free - before)];
}

function spaces(count: number): StyledSpan {
  return spanOf(' '.repeat(count));
}

function withoutEnd(line: StyledLine): StyledLine {
  const last = line.findLastIndex(({ text }) => text.trim() !== '');
  return line.slice(0, last + 1);
}
