// Two columns of text, the second one wrapped beside the first; below it where the screen is too narrow for both.
import { type Line, plainSpan, type Style } from '../render/paint.ts';
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
      const part = (words: string, indent: string, styles: readonly Style[]) =>
        wrapSpans([{ text: words, styles }], columns - indent.length).map((line): Line => [plainSpan(indent), ...line]);
      return [...part(label, padding, []), ...part(text, padding + padding, ['dim'])];
    }
    return wrapSpans([{ text, styles: [] }], right).map((line, index): Line => {
      const start = index === 0 ? padding + label : '';
      return [{ text: start + ' '.repeat(left + GAP - textWidth(start)), styles: [] }, ...line];
    });
  });
}
