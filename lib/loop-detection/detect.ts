// Says whether a list of fingerprints ends in a repetition. The list is short: its length is fixed by the caller.

export interface Repetition {
  /** How many different steps there are before they begin again; 1 means the same step over and over. */
  readonly period: number;
  /** How often all of them came. */
  readonly count: number;
}

/** Longer cycles are not looked for. */
export const MAX_PERIOD = 5;

/** The shortest period that fills the end of `steps` at least `threshold` times. */
export function findRepetition(steps: readonly string[], threshold: number): Repetition | undefined {
  for (let period = 1; period <= MAX_PERIOD; period++) {
    const count = repetitions(steps, period);
    if (count >= threshold) return { period, count };
  }
  return undefined;
}

/** How often the last `period` steps came at the end, one time directly after the other. */
function repetitions(steps: readonly string[], period: number): number {
  let same = period;
  while (same < steps.length && steps.at(-1 - same) === steps.at(-1 - same + period)) same++;
  return steps.length < period ? 0 : Math.floor(same / period);
}
