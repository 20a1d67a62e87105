// Several orders made into one by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): what counts is the place
// that a passage has in each order, so that scores of different kinds need not be compared. Pure.
import type { Ranked } from './find-by-words.ts';

/** Softens the lead of the first places. The value of the paper. */
const K = 60;

interface Fused extends Ranked {
  /** The rank of the passage in each of the orders, from 1; undefined if it is not in that order. */
  readonly ranks: readonly (number | undefined)[];
}

/**
 * Best first; of two that are equal, the newer one, which has the higher number. No order holds a passage twice.
 *
 * @example
 * fuse([[7, 8], [8, 9]]).map(({ passage }) => passage); // [8, 7, 9]
 */
export function fuse(orders: readonly (readonly number[])[]): Fused[] {
  const ranks = new Map<number, (number | undefined)[]>();
  for (const [which, order] of orders.entries()) {
    for (const [place, passage] of order.entries()) {
      const known = ranks.get(passage) ?? orders.map(() => undefined);
      known[which] = place + 1;
      ranks.set(passage, known);
    }
  }
  return [...ranks]
    .map(([passage, places]) => ({ passage, score: scoreOf(places), ranks: places }))
    .sort((a, b) => b.score - a.score || b.passage - a.passage);
}

function scoreOf(ranks: readonly (number | undefined)[]): number {
  // Added up from the smallest, so that the order of the orders does not matter to the last digit.
  const parts = ranks.flatMap((rank) => (rank === undefined ? [] : [1 / (K + rank)]));
  return parts.sort((a, b) => a - b).reduce((sum, part) => sum + part, 0);
}
