// Two columns of text, the second one wrapped next to the first, or below it if the screen is too narrow for both.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { textWidth } from '../../display/width.ts';
import { wrapSpans } from '../../display/wrap.ts';

const GAP = 2;
const INDENT = 2;
/** A wider label has a line of its own. */
const WIDEST_LABEL = 24;
/** The second column is not made narrower than this. */
const NARROWEST = 24;

export type LabelledRow = readonly [left: string, right: string];

export function formatRows(columns: number, rows: readonly LabelledRow[]): StyledLine[] {
  const widest = Math.max(0, ...rows.map(([label]) => textWidth(label)).filter((width) => width <= WIDEST_LABEL));
  const left = INDENT + widest + GAP;
  const right = columns - left;
  const isNarrow = right < NARROWEST && rows.some(([, text]) => textWidth(text) > right);
  return rows.flatMap(([label, text]) => {
    if (isNarrow) return [...part(label, INDENT, columns), ...part(text, 2 * INDENT, columns)];
    const beside = part(text, left, columns);
    if (textWidth(label) > widest) return [...part(label, INDENT, columns), ...beside];
    const [, ...first] = beside[0]!;
    return [
      [spanOf(' '.repeat(INDENT) + label + ' '.repeat(left - INDENT - textWidth(label))), ...first],
      ...beside.slice(1),
    ];
  });
}

function part(text: string, indent: number, columns: number): StyledLine[] {
  return wrapSpans([spanOf(text)], columns - indent).map((line): StyledLine => [spanOf(' '.repeat(indent)), ...line]);
}
