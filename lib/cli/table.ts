// Aligned columns that fit the terminal: the growing one is cut to what is left, others leave where it is narrow.
import { printableLine } from '../display/printable.ts';
import { fitWidth, textWidth } from '../display/width.ts';

export interface Column {
  readonly title: string;
  readonly cells: readonly string[];
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

export function* renderTable(
  columns: readonly Column[],
  { width, header }: TableOptions,
): Generator<string, void, void> {
  const shown = columns.filter(({ dropAt = 0 }) => width >= dropAt);
  const cells = shown.map(({ title, cells }) => [title, ...cells.map(printableLine)]);
  const natural = cells.map((column) => Math.max(...column.map(textWidth)));
  const fixed = shown.reduce(
    (sum, { grows }, index) => sum + (grows ? 0 : natural[index]!),
    GAP.length * (shown.length - 1),
  );
  const widths = shown.map(({ grows }, index) => (grows ? Math.max(1, width - fixed) : natural[index]!));
  for (let row = 0; row < (cells[0]?.length ?? 0); row += 1) {
    const line = shown.map(({ align, style }, index) => {
      const text = fitWidth(cells[index]![row]!, widths[index]!);
      const space = index === shown.length - 1 && align !== 'right' ? '' : ' '.repeat(widths[index]! - textWidth(text));
      const styled = row === 0 ? header(text) : (style ?? String)(text);
      return align === 'right' ? space + styled : styled + space;
    });
    yield line.join(GAP).trimEnd();
  }
}
