// Says how much two answers have in common: the share of their runs of three words that both contain, estimated from a
// sketch of fixed size, so that the answers themselves need not be kept. One hash for each run (Li, Owen, Zhang, One
// permutation hashing, 2012).

/** The smallest hash of all runs in each of 32 classes; 0 for a class without a run. */
export type Sketch = readonly number[];

/** Two answers with at least this similarity count as the same. */
export const SIMILAR = 0.85;

/** A shorter text is similar only to itself: a single word more makes a different message. */
const MIN_WORDS = 12;
/** More of an answer is not read. */
const MAX_CHARACTERS = 20_000;
const WORDS_IN_RUN = 3;
const CLASS_BITS = 5;
const CLASSES = 2 ** CLASS_BITS;

/** Letters and digits, and every character beyond ASCII that is not white space. */
const WORD = /[^\0-\x2f\x3a-\x60\x7b-\x7f\s]+/gu;
/** As in FNV-1a. */
const PRIME = 0x01000193;

/** Undefined for a text that is too short. Case, punctuation and the value of numbers do not count. */
export function sketchOf(text: string): Sketch | undefined {
  const folded = text.slice(0, MAX_CHARACTERS).toLowerCase().replace(/\d+/gu, '0');
  const hashes = (folded.match(WORD) ?? []).map(hashOfWord);
  if (hashes.length < MIN_WORDS) return undefined;
  const sketch = new Array<number>(CLASSES).fill(0);
  for (let start = 0; start + WORDS_IN_RUN <= hashes.length; start++) {
    const hash = hashOfRun(hashes[start]!, hashes[start + 1]!, hashes[start + 2]!);
    const place = hash % CLASSES;
    const rank = (hash >>> CLASS_BITS) + 1;
    const smallest = sketch[place]!;
    if (smallest === 0 || rank < smallest) sketch[place] = rank;
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

function hashOfWord(word: string): number {
  let hash = 0;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), PRIME);
  return hash;
}

/** The end is the finalizer of MurmurHash3. */
function hashOfRun(first: number, second: number, third: number): number {
  let hash = Math.imul(Math.imul(first, PRIME) ^ second, PRIME) ^ third;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
