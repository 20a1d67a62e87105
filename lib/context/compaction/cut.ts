// Chooses where to cut a conversation in two: only between steps, so never between a call and its result; never into
// the newest step; and so that at least the wanted tokens of recent steps stay. If possible, at the beginning of a
// turn.

export interface Cuttable {
  readonly tokens: number;
  readonly startsTurn: boolean;
}

export interface CutLimits {
  /** At least that many tokens of the newest steps stay, if there are as many. */
  readonly preserveRecentTokens: number;
  /** The remaining steps should have no more tokens than this. */
  readonly roomTokens: number;
  /** `needed`: cuts off only as much as it takes to reach the room. `allowed`: cuts off all that may go. */
  readonly extent: 'needed' | 'allowed';
}

export interface Cut {
  /** Index of the first step that stays whole. */
  readonly at: number;
  /** The step before it should have stayed, but is too large: an excerpt of it is kept, of this many tokens. */
  readonly oversized?: { readonly index: number; readonly tokens: number };
}

/** Undefined if nothing may go. `steps`: oldest first. */
export function chooseCut(steps: readonly Cuttable[], limits: CutLimits): Cut | undefined {
  const { preserveRecentTokens, roomTokens, extent } = limits;
  const kept = tokensFromHere(steps);
  const latest = steps.findLastIndex((_, index) => index === 0 || (kept[index] ?? 0) >= preserveRecentTokens);
  const at = latest + 1;
  const isTooLarge = (steps[latest]?.tokens ?? 0) > Math.max(roomTokens, preserveRecentTokens);
  if (isTooLarge && at < steps.length) {
    return { at, oversized: { index: latest, tokens: Math.max(0, preserveRecentTokens - (kept[at] ?? 0)) } };
  }
  if (latest < 1) return undefined;
  let fitting: number | undefined;
  let turn: number | undefined;
  for (let index = 1; index <= latest; index++) {
    if ((kept[index] ?? 0) > roomTokens) continue;
    if (extent === 'allowed' || fitting === undefined) fitting = index;
    if (steps[index]?.startsTurn && (extent === 'allowed' || turn === undefined)) turn = index;
  }
  return { at: turn ?? fitting ?? latest };
}

/** For each step, the tokens of it and of all after it. */
function tokensFromHere(steps: readonly Cuttable[]): Float64Array {
  const sums = new Float64Array(steps.length);
  let sum = 0;
  for (let index = steps.length - 1; index >= 0; index--) {
    sum += steps[index]?.tokens ?? 0;
    sums[index] = sum;
  }
  return sums;
}
