// How much two outputs say the same: the share of their runs of three words that they have in common, estimated from a
// sketch of fixed size, so that the outputs themselves need not be kept. One pass over the text, one hash for each run (Li,
// Owen, Zhang, One permutation hashing, 2012). Pure.
import { readUnits, units, unitTable } from './code-units.ts';

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
  const words = readWords(text);
  if (words < MIN_WORDS) return undefined;
  const sketch = new Array<number>(CLASSES).fill(0);
  for (let word = 2; word < words; word++) {
    const hash = hashOfRun(hashes[word - 2]!, hashes[word - 1]!, hashes[word]!);
    const index = hash % CLASSES;
    const rank = (hash >>> 5) + 1;
    const smallest = sketch[index]!;
    if (smallest === 0 || rank < smallest) sketch[index] = rank;
  }
  return sketch;
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

/** Stands for all that is between words. */
const BLANK = 0;
/** Any digit counts as this one. */
const DIGIT = 0x30;

/** What a character is to a word: itself, or one of the two above. */
const wordUnits = unitTable((table) => {
  for (let unit = 0; unit < 0x80; unit++) if (!/[a-z]/iu.test(String.fromCharCode(unit))) table[unit] = BLANK;
  table.fill(DIGIT, DIGIT, DIGIT + 10);
});

/** As in FNV-1a. */
const PRIME = 0x01000193;

/** Of each word of the text that was read last. */
const hashes = new Int32Array(MAX_CHARACTERS / 2 + 1);

/**
 * Hashes the words of a text, and returns how many there are. No branch asks whether a word ends: the processor would guess
 * wrongly at each, which takes longer than all the rest.
 */
function readWords(text: string): number {
  const length = Math.min(text.length, MAX_CHARACTERS);
  // Not looked up anew at each character.
  const [source, known, found] = [units, wordUnits(), hashes];
  let words = 0;
  let hash = 0;
  let previous = BLANK;
  // All bits, or none.
  let wasBlank = -1;
  for (let start = 0; start < length; ) {
    const count = Math.min(readUnits(text, start), length - start);
    for (let index = 0; index < count; index++) {
      const code = known[source[index]!]!;
      // A number counts as one digit, however long it is.
      if (code === DIGIT && previous === DIGIT) continue;
      previous = code;
      const isBlank = (code - 1) >> 31;
      words -= isBlank & ~wasBlank;
      wasBlank = isBlank;
      hash = Math.imul(hash ^ code, PRIME) & ~isBlank;
      found[words] = hash;
    }
    start += count;
  }
  return wasBlank === -1 ? words : words + 1;
}

/** In this order. The end is the finalizer of MurmurHash3. */
function hashOfRun(first: number, second: number, third: number): number {
  let hash = Math.imul(Math.imul(first, PRIME) ^ second, PRIME) ^ third;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
