// The runs of three words in a text, a hash for each: by them two texts are compared, and a text that says nothing three times
// is known not to repeat itself. One pass over the text, which is read through memory that stays.
import { BLANKS, readUnits, units, unitTable } from './code-units.ts';

/** More of a text is not read. */
const MAX_CHARACTERS = 20_000;
/** A word and what stands before it are shorter, as a rule: not in Chinese, nor where there are long hashes or rulers. */
const MAX_WORD_CHARACTERS = 30;

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
  const words = readWords(text);
  const count = Math.max(0, words - 2);
  for (let run = 0; run < count; run++) {
    runHashes[run] = hashOfRun(wordHashes[run]!, wordHashes[run + 1]!, wordHashes[run + 2]!);
  }
  return {
    words,
    hashes: runHashes.subarray(0, count),
    isDense: text.length <= MAX_CHARACTERS && isDense(text, words),
  };
}

const MAX_WORDS = MAX_CHARACTERS / 2;
const runHashes = new Uint32Array(MAX_WORDS);
/** Of the words that were read last. The word behind them is written to as well. */
const wordHashes = new Int32Array(MAX_WORDS + 1);
const wordEnds = new Int32Array(MAX_WORDS + 1);

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

/**
 * Hashes the words of a text, and returns how many there are. No branch asks whether a word ends: the processor would guess
 * wrongly at each, which takes longer than all the rest.
 */
function readWords(text: string): number {
  const length = Math.min(text.length, MAX_CHARACTERS);
  // Not looked up anew at each character.
  const [source, known, hashes, ends] = [units, wordUnits(), wordHashes, wordEnds];
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
      if (code === DIGIT && previous === DIGIT) {
        ends[words] = start + index;
        continue;
      }
      previous = code;
      const isBlank = (code - 1) >> 31;
      words -= isBlank & ~wasBlank;
      wasBlank = isBlank;
      hash = Math.imul(hash ^ code, PRIME) & ~isBlank;
      hashes[words] = hash;
      ends[words] = start + index;
    }
    start += count;
  }
  return wasBlank === -1 ? words : words + 1;
}

function isDense(text: string, words: number): boolean {
  let previous = -1;
  for (let word = 0; word < words; word++) {
    const end = wordEnds[word]!;
    if (end - previous >= MAX_WORD_CHARACTERS) return false;
    previous = end;
  }
  return text.length - previous < MAX_WORD_CHARACTERS;
}

/** In this order. The end is the finalizer of MurmurHash3. */
function hashOfRun(first: number, second: number, third: number): number {
  let hash = Math.imul(Math.imul(first, PRIME) ^ second, PRIME) ^ third;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
