// The runs of three words in a text, a hash for each: by them two texts are compared, and a text that says nothing five times
// is known not to repeat itself. One pass over the text, as much of it as comes in one piece, through memory that stays.
import { BLANKS, PIECE_UNITS, readUnits, units, unitTable } from './code-units.ts';

/** A word and what stands before it are shorter, as a rule: not in Chinese, nor where there are long hashes or rulers. */
const MAX_WORD_CHARACTERS = 30;
/** Wherever 30 characters begin, a whole stretch lies in them. */
const STRETCH_CHARACTERS = 14;

/** Good until the next text is read. */
export interface Runs {
  readonly words: number;
  /** One for each run, in order. */
  readonly hashes: Uint32Array;
  /** All of the text was read, and wherever it is cut, a word ends within the next 30 characters. */
  readonly isDense: boolean;
}

/** Case, punctuation and figures do not count. */
export function readRuns(text: string): Runs {
  const { count: words, areDense } = readWords(text);
  const count = Math.max(0, words - 2);
  const hashes = runHashes;
  let first = wordHashes[0]!;
  let second = wordHashes[1]!;
  for (let run = 0; run < count; run++) {
    const third = wordHashes[run + 2]!;
    hashes[run] = hashOfRun(first, second, third);
    first = second;
    second = third;
  }
  return { words, hashes: hashes.subarray(0, count), isDense: areDense };
}

const MAX_WORDS = PIECE_UNITS / 2;
const runHashes = new Uint32Array(MAX_WORDS);
/** Of the words that were read last. The word behind them is written to as well. */
const wordHashes = new Int32Array(MAX_WORDS + 2);

/** Stands for all that is between words. */
const BLANK = 0;
/** Any digit counts as this one. */
const DIGIT = 0x30;

/** What a character is to a word: itself, or one of the two above. */
const wordUnits = unitTable((table) => {
  for (let unit = 0; unit < 0x80; unit++) if (!/[a-z]/iu.test(String.fromCharCode(unit))) table[unit] = BLANK;
  for (const blank of BLANKS) table[blank.charCodeAt(0)] = BLANK;
  table.fill(DIGIT, DIGIT, DIGIT + 10);
});

/** As in FNV-1a. */
const PRIME = 0x01000193;

/** What of a text there is in `units` now. */
interface Words {
  readonly count: number;
  readonly areDense: boolean;
}

/**
 * Hashes the words of a text. No branch asks whether a word ends: the processor would guess wrongly at each, which takes longer
 * than all the rest. Nor is written down where: only where a whole stretch has no end, it is looked at how far the next ones are.
 */
function readWords(text: string): Words {
  const length = readUnits(text, 0);
  // Not looked up anew at each character.
  const [source, known, hashes] = [units, wordUnits(), wordHashes];
  let words = 0;
  let hash = 0;
  let previous = BLANK;
  // All bits, or none.
  let wasBlank = -1;
  let areDense = length === text.length;
  for (let index = 0; index < length; ) {
    const start = index;
    const before = words;
    const stop = Math.min(start + STRETCH_CHARACTERS, length);
    for (; index < stop; index++) {
      const code = known[source[index]!]!;
      // A number counts as one digit, however long it is.
      if (code === DIGIT && previous === DIGIT) continue;
      previous = code;
      const isBlank = (code - 1) >> 31;
      words -= isBlank & ~wasBlank;
      wasBlank = isBlank;
      hash = Math.imul(hash ^ code, PRIME & ~isBlank);
      hashes[words] = hash;
    }
    if (words === before && areDense) areDense = isBridged(start, stop, length);
  }
  return { count: wasBlank === -1 ? words : words + 1, areDense };
}

/** Whether from the end of the last word before this stretch to that of the next one behind it is no further than a word. */
function isBridged(start: number, stop: number, length: number): boolean {
  const known = wordUnits();
  const isBlank = (index: number) => known[units[index]!] === BLANK;
  let before = start - 1;
  while (before >= 0 && (isBlank(before) || !isBlank(before + 1))) before--;
  let end = stop - 1;
  while (end < length && (isBlank(end) || (end + 1 < length && !isBlank(end + 1)))) end++;
  return end - before < MAX_WORD_CHARACTERS;
}

/** In this order. The end is the finalizer of MurmurHash3. */
function hashOfRun(first: number, second: number, third: number): number {
  let hash = Math.imul(Math.imul(first, PRIME) ^ second, PRIME) ^ third;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
