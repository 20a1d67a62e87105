// The user's draft while a turn runs, as one row with the cursor in it, and each waiting message as a row. Pure.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitEnd, fitWidth, textWidth } from '../../display/width.ts';

export interface LineDraft {
  readonly text: string;
  /** Index in the text. */
  readonly cursor: number;
  /** Whether lines before this one belong to the same message. */
  readonly isOpen: boolean;
}

interface DraftRow {
  readonly line: StyledLine;
  /** The column of the cursor. */
  readonly column: number;
}

export const DRAFT_SIGN = '› ';
const OPEN_SIGN = '… ';
const STEERING_SIGN = '↳ ';
const MOST_ROWS = 3;

/** For a long text, the part around the cursor. */
export function draftRow({ text, cursor, isOpen }: LineDraft, columns: number): DraftRow {
  const sign = isOpen ? OPEN_SIGN : DRAFT_SIGN;
  const room = Math.max(1, columns - textWidth(sign));
  const before = fitEnd(text.slice(0, cursor), room - 1);
  const after = fitWidth(text.slice(cursor), room - textWidth(before));
  return {
    line: [spanOf(sign, 'green', 'dim'), spanOf(before + after)],
    column: textWidth(sign) + textWidth(before),
  };
}

/** The first few, in the order in which they come. */
export function waitingRows(
  steering: readonly string[],
  queued: readonly string[],
  columns: number,
): readonly StyledLine[] {
  const all = [...steering.map((text) => STEERING_SIGN + text), ...queued.map((text, index) => `${index + 1} ${text}`)];
  const more = all.length - MOST_ROWS;
  const shown = more > 0 ? [...all.slice(0, MOST_ROWS - 1), `and ${more + 1} more: /queue shows them`] : all;
  return shown.map((text): StyledLine => [spanOf(fitWidth(`  ${sanitizeLine(text)}`, columns), 'dim')]);
}
