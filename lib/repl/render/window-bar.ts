// The window of the model as a bar of one row, each part with a sign of its own, so that it reads without colours too.
// A part that is there has at least one cell. Pure.
import { type Style, type StyledLine, spanOf } from '../../display/paint.ts';

interface BarPart {
  readonly name: string;
  readonly tokens: number;
}

interface WindowBar {
  readonly bar: StyledLine;
  /** For each part, in order: its sign, painted as in the bar. */
  readonly signs: readonly StyledLine[number][];
}

const LOOKS: readonly (readonly [sign: string, style: Style])[] = [
  ['█', 'cyan'],
  ['▓', 'green'],
  ['▒', 'yellow'],
  ['░', 'red'],
  ['▚', 'bold'],
  ['▞', 'cyan'],
];
export const FREE_SIGN = '·';
const DUE_SIGN = '|';

interface WindowBarOptions {
  /** Tokens of the whole bar. */
  readonly total: number;
  /** Tokens at which the next compaction happens. */
  readonly due?: number | undefined;
  readonly columns: number;
}

export function windowBar(parts: readonly BarPart[], { total, due, columns }: WindowBarOptions): WindowBar {
  const cells: StyledLine[number][] = [];
  const signs = parts.map((_, index): StyledLine[number] => {
    const [text, style] = LOOKS[index % LOOKS.length]!;
    return spanOf(text, style);
  });
  let before = 0;
  parts.forEach(({ tokens }, index) => {
    if (tokens <= 0) return;
    before += tokens;
    const end = Math.max(cells.length + 1, Math.round((before / Math.max(1, total)) * columns));
    while (cells.length < Math.min(end, columns)) cells.push(signs[index]!);
  });
  while (cells.length < columns) cells.push(spanOf(FREE_SIGN, 'dim'));
  const dueAt = due === undefined ? -1 : Math.min(columns - 1, Math.round((due / Math.max(1, total)) * columns));
  if (dueAt >= 0) cells[dueAt] = spanOf(DUE_SIGN, 'bold');
  return { bar: cells, signs };
}
