// What the menus below the line have in common.
import type { Line } from '../display/paint.ts';

export const MOST_LISTED = 7;

/** The last row: how many more there are, and how to choose. `isCut`: there may be more still. */
export function moreRow(more: number, { isCut = false } = {}): Line {
  return [{ text: `${more > 0 ? `… ${more}${isCut ? '+' : ''} more · ` : ''}Tab or ↓ chooses`, styles: ['dim'] }];
}
