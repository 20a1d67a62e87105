// Common parts of the menus below the line.
import { type StyledLine, spanOf } from '../display/paint.ts';

export const MOST_LISTED = 7;

/** The last row: how many more there are, and how to choose. `isCut`: there may be more still. */
export function moreRow(more: number, { isCut = false } = {}): StyledLine {
  return [spanOf(`${more > 0 ? `… ${more}${isCut ? '+' : ''} more · ` : ''}Tab or ↓ chooses`, 'dim')];
}
