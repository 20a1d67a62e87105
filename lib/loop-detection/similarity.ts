// How much two outputs say the same: the share of their runs of three words that they have in common, estimated from a
// sketch of fixed size, so that the outputs themselves need not be kept. One hash for each run (Li, Owen, Zhang, One
// permutation hashing, 2012). Pure.
import { NO_RANK, type Runs, readRuns } from './runs.ts';

/** The smallest hash of all runs in each of several classes; 0 where a class has none. */
export type Sketch = readonly number[];

/** From here on two outputs count as the same. */
export const SIMILAR = 0.85;

/** A shorter text is only the same as itself: one word more or less is a different message. */
const MIN_WORDS = 12;

/** Undefined for a text too short to be similar to another. Case, punctuation and figures do not count. */
export function sketchOf(text: string): Sketch | undefined {
  return sketchOfRuns(readRuns(text));
}

export function sketchOfRuns({ words, smallest }: Runs): Sketch | undefined {
  if (words < MIN_WORDS) return undefined;
  const sketch = new Array<number>(smallest.length).fill(0);
  for (let index = 0; index < smallest.length; index++) {
    const rank = smallest[index]!;
    if (rank !== NO_RANK) sketch[index] = rank + 1;
  }
  return sketch;
}

/** From 0 to 1. */
export function similarity(one: Sketch | undefined, other: Sketch | undefined): number {
  if (one === undefined || other === undefined) return 0;
  let same = 0;
  let used = 0;
  for (let index = 0; index < one.length; index++) {
    if (one[index] === 0 && other[index] === 0) continue;
    used += 1;
    if (one[index] === other[index]) same += 1;
  }
  return same / used;
}
