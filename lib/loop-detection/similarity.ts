// How much two outputs say the same: the share of their runs of three words that they have in common, estimated from a
// sketch of fixed size, so that the outputs themselves need not be kept. One pass over the text, one hash for each run (Li,
// Owen, Zhang, One permutation hashing, 2012). Pure.

/** The smallest hash of all runs in each of several classes; 0 where a class has none. */
export type Sketch = readonly number[];

/** From here on two outputs count as the same. */
export const SIMILAR = 0.85;

const CLASSES = 32;
/** A shorter text is only the same as itself: one word more or less is a different message. */
const MIN_WORDS = 12;
const MAX_CHARACTERS = 20_000;

/** Undefined for a text too short to be similar to another. Case, punctuation and figures do not count. */
export function sketchOf(text: string): Sketch | undefined {
  const folded = text.slice(0, MAX_CHARACTERS).toLowerCase();
  const sketch = new Array<number>(CLASSES).fill(0);
  let words = 0;
  let beforeLast = 0;
  let last = 0;
  let word = SEED;
  let isDigit = false;
  for (let index = 0; index <= folded.length; index++) {
    const code = index < folded.length ? folded.charCodeAt(index) : SPACE;
    if (isWordCode(code)) {
      const wasDigit = isDigit;
      isDigit = code >= DIGIT_0 && code <= DIGIT_9;
      if (!(isDigit && wasDigit)) word = Math.imul(word ^ (isDigit ? DIGIT_0 : code), PRIME);
      continue;
    }
    isDigit = false;
    if (word === SEED) continue;
    words += 1;
    if (words >= 3) addRun(sketch, mix(mix(beforeLast) ^ last) ^ word);
    beforeLast = last;
    last = word;
    word = SEED;
  }
  return words < MIN_WORDS ? undefined : sketch;
}

/** From 0 to 1. */
export function similarity(one: Sketch | undefined, other: Sketch | undefined): number {
  if (one === undefined || other === undefined) return 0;
  let same = 0;
  let used = 0;
  for (let index = 0; index < CLASSES; index++) {
    if (one[index] === 0 && other[index] === 0) continue;
    used += 1;
    if (one[index] === other[index]) same += 1;
  }
  return same / used;
}

/** FNV-1a. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const SPACE = 0x20;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

function isWordCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= DIGIT_0 && code <= DIGIT_9) || code >= 0x80;
}

function addRun(sketch: number[], run: number): void {
  const hash = mix(run) >>> 0;
  const index = hash % CLASSES;
  const rank = (hash >>> 5) + 1;
  const smallest = sketch[index]!;
  if (smallest === 0 || rank < smallest) sketch[index] = rank;
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
