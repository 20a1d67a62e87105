// Lays a Markdown table out within a width: columns as wide as they need, then narrowed with their text wrapped; where
// not even that is readable, row by row as “heading: value”.

import type { Line, Span } from './paint.ts';
import { lineWidth, wrapSpans } from './wrap.ts';

export type Alignment = 'left' | 'right' | 'center' | null;

export interface TableContent {
  readonly header: readonly (readonly Span[])[];
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly align: readonly Alignment[];
}

const GAP: Span = { text: ' │ ', styles: ['dim'] };
/** A column is not made narrower than this. */
const NARROWEST = 6;

export function renderTable(table: TableContent, width: number): Line[] {
  const widths = columnWidths(table, width - GAP.text.length * (table.header.length - 1));
  if (!widths) return renderAsRecords(table, width);
  const rule = widths.map((columns) => '─'.repeat(columns)).join('─┼─');
  return [
    ...renderRow(
      table.header.map((cell) => cell.map((span) => ({ ...span, styles: [...span.styles, 'bold'] as const }))),
      widths,
      table.align,
    ),
    [{ text: rule, styles: ['dim'] }],
    ...table.rows.flatMap((row) => renderRow(row, widths, table.align)),
  ];
}

/** Undefined if the table does not fit. Takes from the widest column first. */
function columnWidths(table: TableContent, available: number): number[] | undefined {
  const widths = table.header.map((_, column) =>
    Math.max(1, ...[table.header, ...table.rows].map((row) => lineWidth(row[column] ?? []))),
  );
  let total = widths.reduce((sum, columns) => sum + columns, 0);
  while (total > available) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= NARROWEST) return undefined;
    widths[widest]!--;
    total--;
  }
  return widths;
}

function renderRow(
  cells: readonly (readonly Span[])[],
  widths: readonly number[],
  align: readonly Alignment[],
): Line[] {
  const wrapped = widths.map((columns, column) => wrapSpans(cells[column] ?? [], columns));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    trimEnd(
      widths.flatMap((columns, column) => {
        const cell = padded(wrapped[column]![index] ?? [], columns, align[column] ?? null);
        return column === 0 ? cell : [GAP, ...cell];
      }),
    ),
  );
}

function renderAsRecords(table: TableContent, width: number): Line[] {
  return table.rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...table.header.flatMap((heading, column) =>
      wrapSpans(
        [
          ...heading.map((span) => ({ ...span, styles: [...span.styles, 'bold'] as const })),
          { text: ': ', styles: [] },
          ...(row[column] ?? []),
        ],
        width,
      ),
    ),
  ]);
}

function padded(line: Line, columns: number, align: Alignment): Span[] {
  const free = Math.max(0, columns - lineWidth(line));
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return [{ text: ' '.repeat(before), styles: [] }, ...line, { text: ' '.repeat(free - before), styles: [] }];
}

function trimEnd(line: Span[]): Line {
  while (line.length > 0 && line.at(-1)!.text.trim() === '') line.pop();
  return line;
}
