// Two columns of text, the second one wrapped beside the first; below it where the screen is too narrow for both.
import type { Line } from '../render/paint.ts';
import { textWidth } from '../render/width.ts';
import { wrapSpans } from '../render/wrap.ts';

const GAP = 2;
/** The second column is not made narrower than this. */
const NARROWEST = 24;
const INDENT = 2;

export type Row = readonly [left: string, right: string];

export function formatRows(rows: readonly Row[], columns: number): Line[] {
  const left = Math.max(0, ...rows.map(([label]) => textWidth(label))) + INDENT;
  const right = columns - left - GAP;
  return rows.flatMap(([label, text]): Line[] => {
    const padding = ' '.repeat(INDENT);
    if (right < NARROWEST) {
      const below = wrapSpans([{ text, styles: ['dim'] }], columns - 2 * INDENT);
      return [
        [{ text: padding + label, styles: [] }],
        ...below.map((line): Line => [{ text: padding + padding, styles: [] }, ...line]),
      ];
    }
    return wrapSpans([{ text, styles: [] }], right).map((line, index): Line => {
      const start = index === 0 ? padding + label : '';
      return [{ text: start + ' '.repeat(left + GAP - textWidth(start)), styles: [] }, ...line];
    });
  });
}
