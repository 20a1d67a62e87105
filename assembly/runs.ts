// What lib/loop-detection/runs.ts calls: the words of a text, a hash for each run of three of them, and of those what is asked
// for: the smallest of each class, and how often one of them came. The text is UTF-16, and what each unit counts as is
// looked up in a table that the caller brings: itself folded, BLANK between words, DIGIT for any digit.

/** How many units of text are taken at a time. */
const MAX_UNITS: i32 = 20_000;
const MAX_WORDS: i32 = MAX_UNITS / 2;

const TABLE: usize = 4096;
const SMALLEST: usize = TABLE + 0x10000 * 2;
const INPUT: usize = SMALLEST + 1024;
/** A word behind the last is written to as well. Four runs are hashed at a time. */
const WORDS: usize = INPUT + <usize>MAX_UNITS * 2;
const RUNS: usize = WORDS + (<usize>MAX_WORDS + 8) * 4;
/** Where equal runs come to stand by each other, and few others with them: the more there are, the more room. */
const COUNTS: usize = RUNS + (<usize>MAX_WORDS + 8) * 4;
const BUCKETS_PER_RUN: i32 = 16;
const MAX_BUCKETS: i32 = 1 << 18;

/** The low bits of a hash are its class, the others its rank there. */
const CLASS_BITS: i32 = 5;
const CLASSES: i32 = 1 << CLASS_BITS;
/** More than a rank can be: of a class that has none. */
const NO_RANK: i32 = 1 << (32 - CLASS_BITS);

export const maxUnits: i32 = MAX_UNITS;
export const maxRuns: i32 = MAX_WORDS;
export const classes: i32 = CLASSES;
export const tableAt: usize = TABLE;
/** The smallest rank of each class, 4 bytes each. */
export const smallestAt: usize = SMALLEST;
export const inputAt: usize = INPUT;
/** The hashes, 4 bytes each. */
export const runsAt: usize = RUNS;
export const memoryBytes: usize = COUNTS + MAX_BUCKETS;

/** Whether wherever the text is cut, a word ends within the next MAX_WORD units. */
export let isDense: bool = false;
/** At least how often one of the runs came, or two that share a bucket; no more than 256, then it begins anew. */
export let mostRepeated: i32 = 0;

const BLANK: i32 = 0;
const DIGIT: i32 = 0x30;
/** A word and what stands before it are shorter, as a rule: not in Chinese, nor where there are long hashes or rulers. */
const MAX_WORD: i32 = 30;
/** Wherever MAX_WORD units begin, a whole stretch lies in them. */
const STRETCH: i32 = 14;

/** As in FNV-1a. */
const PRIME: i32 = 0x01000193;

/** Reads so many units of the input. Returns how many words they are; there are two runs less. */
export function readRuns(units: i32): i32 {
  const words = readWords(units);
  const runs = max(0, words - 2);
  hashRuns(runs);
  findSmallest(runs);
  countRuns(runs);
  return words;
}

function countsAs(at: usize): i32 {
  return load<u16>(TABLE + ((<usize>load<u16>(at)) << 1));
}

/**
 * Hashes the words. No branch asks whether one ends, or a number goes on: the processor would guess wrongly at each, which takes
 * longer than all the rest. Nor is written down where: only where a whole stretch has no end, it is looked how far the next are.
 */
function readWords(units: i32): i32 {
  const stop = INPUT + ((<usize>units) << 1);
  let words = 0;
  let hash = 0;
  let previous = BLANK;
  // All bits, or none.
  let wasBlank = -1;
  isDense = true;
  for (let at = INPUT; at < stop; ) {
    const start = at;
    const before = words;
    const stretchStop = min(start + STRETCH * 2, stop);
    for (; at < stretchStop; at += 2) {
      const code = countsAs(at);
      // A number counts as one digit, however long it is: of the others the hash stays as it is.
      const goesOn = i32(code === DIGIT) & i32(previous === DIGIT);
      previous = code;
      const isBlank = (code - 1) >> 31;
      words -= isBlank & ~wasBlank;
      wasBlank = isBlank;
      hash = (hash ^ (goesOn ? 0 : code)) * (goesOn ? 1 : PRIME & ~isBlank);
      store<i32>(WORDS + ((<usize>words) << 2), hash);
    }
    if (words === before && isDense) isDense = isBridged(start, at, stop);
  }
  return wasBlank === -1 ? words : words + 1;
}

/** Whether from the end of the last word before this stretch to that of the next one behind it is no further than a word. */
function isBridged(start: usize, stretchStop: usize, stop: usize): bool {
  let before = start - 2;
  while (before >= INPUT && (countsAs(before) === BLANK || countsAs(before + 2) !== BLANK)) before -= 2;
  let end = stretchStop - 2;
  while (end < stop && (countsAs(end) === BLANK || (end + 2 < stop && countsAs(end + 2) !== BLANK))) end += 2;
  return <i32>(end - before) >> 1 < MAX_WORD;
}

/** Each of three words in this order. The end is the finalizer of MurmurHash3. */
function hashRuns(runs: i32): void {
  const prime = i32x4.splat(PRIME);
  const first = i32x4.splat(0x85ebca6b);
  const second = i32x4.splat(0xc2b2ae35);
  for (let run = 0; run < runs; run += 4) {
    const at = WORDS + ((<usize>run) << 2);
    let hash = v128.xor(i32x4.mul(v128.load(at), prime), v128.load(at, 4));
    hash = v128.xor(i32x4.mul(hash, prime), v128.load(at, 8));
    hash = i32x4.mul(v128.xor(hash, i32x4.shr_u(hash, 16)), first);
    hash = i32x4.mul(v128.xor(hash, i32x4.shr_u(hash, 13)), second);
    v128.store(RUNS + ((<usize>run) << 2), v128.xor(hash, i32x4.shr_u(hash, 16)));
  }
}

function findSmallest(runs: i32): void {
  for (let index = 0; index < CLASSES; index += 4) {
    v128.store(SMALLEST + ((<usize>index) << 2), i32x4.splat(NO_RANK));
  }
  const stop = RUNS + ((<usize>runs) << 2);
  for (let at = RUNS; at < stop; at += 4) {
    const hash = load<u32>(at);
    const place = SMALLEST + ((<usize>(hash & (CLASSES - 1))) << 2);
    store<u32>(place, min(load<u32>(place), hash >> CLASS_BITS));
  }
}

function countRuns(runs: i32): void {
  const buckets = min(MAX_BUCKETS, 1 << (32 - clz(BUCKETS_PER_RUN * runs)));
  memory.fill(COUNTS, 0, buckets);
  const mask = <u32>(buckets - 1);
  const stop = RUNS + ((<usize>runs) << 2);
  let most = 0;
  for (let at = RUNS; at < stop; at += 4) {
    const place = COUNTS + <usize>(load<u32>(at) & mask);
    const count = <i32>load<u8>(place) + 1;
    store<u8>(place, count);
    most = max(most, count);
  }
  mostRepeated = most;
}
