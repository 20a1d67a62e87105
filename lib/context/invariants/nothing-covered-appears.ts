// Nothing that a compaction covers, and nothing that was undone, is sent. Items are in the order in which they
// happened.
import { counts } from '../../projections/timeline.ts';
import type { Invariant } from './invariant.ts';

export const nothingCoveredAppears: Invariant = ({ timeline }, { items }) =>
  items.flatMap((item, index) => {
    const previous = items[index - 1];
    if (!counts(timeline, item)) return [`Event ${item.seq} is covered or undone, but sent.`];
    if (previous !== undefined && previous.seq >= item.seq) return [`Event ${item.seq} stands behind ${previous.seq}.`];
    return [];
  });
