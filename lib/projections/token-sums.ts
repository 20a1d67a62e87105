// Sums of token counts: a sum is not better known than the worst of its numbers.
import type { TokenCount, TokenMethod } from '../messages/index.ts';

/** Where a sum begins. */
export const NOTHING: TokenCount = { count: 0, method: 'reported' };

/** From the best to the worst. */
const METHODS: readonly TokenMethod[] = ['reported', 'counted', 'estimated', 'unknown'];

export function plus(left: TokenCount, right: TokenCount): TokenCount {
  return { count: left.count + right.count, method: weaker(left.method, right.method) };
}

/** The weaker of two methods of knowing a number. */
export function weaker(left: TokenMethod, right: TokenMethod): TokenMethod {
  return METHODS.indexOf(left) >= METHODS.indexOf(right) ? left : right;
}
