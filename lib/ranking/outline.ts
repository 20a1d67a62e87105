// The words of a text by section, as numbers: made in a small part of the time that passages take, and enough to tell
// which of many texts may answer a question before one of them is cut. Sections are about as long as passages. Pure.
import { fold, isSign, STOP_WORDS, stem, stemsIn } from './words.ts';

/**
 * Each section begins with a number for how many different words it has that may be sought, in the upper half, and how
 * many words in all. One number for each of these words follows: of its stem, and in the lowest bits how often it is
 * there.
 */
export type WordOutline = Uint32Array;

export const SECTION_CHARACTERS = 1_600;
/** A section ends with a line, or here. */
const MAX_SECTION_CHARACTERS = 2_400;
const COUNT_BITS = 0xf;
const BEGINNING_BITS = 12;
const MAX_WORD_CHARACTERS = 64;
/** More than a section has words, so that a free place is always near. */
const PLACES = 4_096;

/** The numbers of stems, at the places of words as they are written; 0 for a word that is not sought. */
const STEMS = 1 << 16;
const hashes = new Int32Array(STEMS);
const stems = new Uint32Array(STEMS);
let remembered = 0;

const [NONE, LOWER, UPPER, DIGIT, OTHER] = [0, 1, 2, 3, 4];
const ASCII = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const [character] = String.fromCharCode(code);
  return /[a-z]/.test(character!) ? LOWER : /[A-Z]/.test(character!) ? UPPER : /\d/.test(character!) ? DIGIT : NONE;
});
/** The constants of the hash FNV-1a. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

interface OutlineOptions {
  /** Whether a heading begins a section, as it begins a passage. */
  readonly isMarkdown: boolean;
}

const section = { mark: 0, words: 0, end: 0 };
/** Where in the outline a word of this section is, by its number; a place with another mark is free. */
const places = new Uint32Array(PLACES);
const marks = new Uint32Array(PLACES);
let outline: WordOutline = new Uint32Array(1 << 12);

/**
 * @example
 * outlineOf('The anchor is let go. An anchor holds.'); // one section: 8 words, anchor twice, let, go, hold
 */
export function outlineOf(text: string, { isMarkdown }: OutlineOptions = { isMarkdown: false }): WordOutline {
  const most = text.length + 16;
  if (outline.length < most) outline = new Uint32Array(most * 2);
  section.end = 0;
  for (let start = 0; start < text.length; ) {
    const end = endOfSection(text, start, isMarkdown);
    const head = section.end;
    section.mark = (section.mark + 1) >>> 0 || 1;
    section.words = 0;
    section.end += 1;
    addWords(text, start, end);
    outline[head] = ((section.end - head - 1) << 16) | section.words;
    start = end;
  }
  return outline.slice(0, section.end);
}

/** The number that an outline has for the words of a stem. */
export function numberOfStem(stem: string): number {
  let hash = SEED;
  for (let index = 0; index < stem.length; index++) hash = Math.imul(hash ^ stem.charCodeAt(index), PRIME);
  return numberOfHash(hash);
}

function numberOfHash(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) & ~COUNT_BITS) >>> 0 || COUNT_BITS + 1;
}

/** Calls `each` for every section, with its words in all, and with how often it holds each of these numbers. */
export function readOutline(
  found: WordOutline,
  numbers: readonly number[],
  each: (words: number, counts: readonly number[]) => void,
): void {
  const counts = numbers.map(() => 0);
  // Most words of a text are none of these, which the beginning of their number shows.
  const beginnings = new Uint8Array(1 << BEGINNING_BITS);
  for (const number of numbers) beginnings[number >>> (32 - BEGINNING_BITS)] = 1;
  for (let at = 0; at < found.length; ) {
    const head = found[at]!;
    const end = at + 1 + (head >>> 16);
    counts.fill(0);
    for (at += 1; at < end; at += 1) {
      const entry = found[at]!;
      if (beginnings[entry >>> (32 - BEGINNING_BITS)] === 0) continue;
      const index = numbers.indexOf((entry & ~COUNT_BITS) >>> 0);
      if (index >= 0) counts[index] = entry & COUNT_BITS;
    }
    each(head & 0xffff, counts);
  }
}

function endOfSection(text: string, start: number, isMarkdown: boolean): number {
  const line = text.indexOf('\n', start + SECTION_CHARACTERS);
  const end = Math.min(line < 0 ? text.length : line + 1, start + MAX_SECTION_CHARACTERS);
  const heading = isMarkdown ? text.slice(start, end).indexOf('\n#') : -1;
  return heading < 0 ? end : start + heading + 1;
}

/** Adds the words that `stemsIn` finds, read by their letters: no word is taken out of a text that was seen before. */
function addWords(text: string, start: number, end: number): void {
  let at = start;
  while (at < end) {
    const first = at;
    let code = text.charCodeAt(at);
    let kind = kindOf(code);
    if (kind === NONE) {
      at += 1;
      continue;
    }
    if (kind === OTHER) {
      at = addOtherWords(text, at, start, end);
      continue;
    }
    let hash = SEED;
    if (kind === UPPER) {
      let before = hash;
      do {
        before = hash;
        hash = Math.imul(hash ^ (code | 0x20), PRIME);
        at += 1;
        code = at < end ? text.charCodeAt(at) : 0;
        kind = kindOf(code);
      } while (kind === UPPER);
      // The last capital before small letters begins their word.
      if (kind === LOWER && at - first > 1) {
        at -= 1;
        hash = before;
        kind = NONE;
      } else if (kind !== LOWER) kind = NONE;
    }
    if (kind === LOWER || kind === DIGIT) {
      do {
        hash = Math.imul(hash ^ code, PRIME);
        at += 1;
        code = at < end ? text.charCodeAt(at) : 0;
      } while (kindOf(code) === kind);
    }
    if (at - first <= MAX_WORD_CHARACTERS)
      add(kind === DIGIT ? numberOfHash(hash) : numberOfWord(hash, text, first, at));
  }
}

/** A word with a letter outside of ASCII is read as a whole, after the part before that letter. Returns its end. */
function addOtherWords(text: string, at: number, start: number, end: number): number {
  let first = at;
  while (first > start && kindOf(text.charCodeAt(first - 1)) !== NONE) first -= 1;
  let last = at;
  while (last < end && kindOf(text.charCodeAt(last)) !== NONE) last += 1;
  for (const each of stemsIn(text.slice(first, last))) add(numberOfStem(each));
  return last;
}

function numberOfWord(hash: number, text: string, start: number, end: number): number {
  let place = (hash ^ (hash >>> 15)) & (STEMS - 1);
  while (hashes[place] !== hash && hashes[place] !== 0) place = (place + 1) & (STEMS - 1);
  return hashes[place] === hash ? stems[place]! : remember(hash, place, text.slice(start, end));
}

function remember(hash: number, place: number, word: string): number {
  const folded = fold(word);
  const number = folded.length < 2 || STOP_WORDS.has(folded) ? 0 : numberOfStem(stem(folded));
  remembered += 1;
  if (remembered > STEMS / 2) {
    hashes.fill(0);
    remembered = 0;
  } else {
    hashes[place] = hash;
    stems[place] = number;
  }
  return number;
}

function add(number: number): void {
  section.words += 1;
  if (number === 0) return;
  let place = (number >>> 4) % PLACES;
  while (marks[place] === section.mark && (outline[places[place]!]! & ~COUNT_BITS) >>> 0 !== number)
    place = (place + 1) % PLACES;
  if (marks[place] !== section.mark) {
    marks[place] = section.mark;
    places[place] = section.end;
    outline[section.end] = number | 1;
    section.end += 1;
  } else if ((outline[places[place]!]! & COUNT_BITS) < COUNT_BITS) outline[places[place]!]! += 1;
}

function kindOf(code: number): number {
  return code < 0x80 ? ASCII[code]! : isSign(code) ? NONE : OTHER;
}
