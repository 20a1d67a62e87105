// The user's draft while a turn runs, with the cursor in it: one row, or those around the cursor if it has line breaks.
// Pure.
import { type StyledLine, spanOf } from '../../display/paint.ts';
import { DRAFT_SIGN, draftRow, type LineDraft } from '../render/draft-row.ts';
import { layOut, placeIn, SIGN_COLUMNS, topFor, visibleRows } from './line-layout.ts';

interface DraftRows {
  readonly lines: readonly StyledLine[];
  /** Column of the cursor, and how many rows are below its own. */
  readonly column: number;
  readonly rowsBelow: number;
}

const MOST_ROWS = 5;

export function draftRows(draft: LineDraft, columns: number): DraftRows {
  if (!draft.text.includes('\n')) {
    const { line, column } = draftRow(draft, columns);
    return { lines: [line], column, rowsBelow: 0 };
  }
  const room = Math.max(1, columns - SIGN_COLUMNS);
  const rows = layOut(draft.text, { first: room, others: room });
  const { row, column } = placeIn(rows, draft);
  const count = Math.min(MOST_ROWS, rows.length);
  const top = topFor(row, rows.length, count, row - Math.floor(count / 2));
  const lines = visibleRows(rows, top, count).map(({ shown, sign = DRAFT_SIGN }): StyledLine => {
    const styles = sign === DRAFT_SIGN ? (['green', 'dim'] as const) : (['dim'] as const);
    return [spanOf(sign, ...styles), spanOf(shown)];
  });
  return { lines, column: SIGN_COLUMNS + column, rowsBelow: count - 1 - (row - top) };
}
