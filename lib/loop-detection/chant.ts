// Says whether an output repeats the same words over and over: a model that got stuck in the middle of an answer. Takes the
// text as it streams, in pieces of any size, and looks at prose alone: code, tables, lists, headings and quotations repeat
// themselves for good reasons. Bounded: remembers a few thousand characters. Pure; what it finds does not depend on the pieces.
import { BLANKS, isEqual, LINE_FEED, readUnits, SPACE, units, unitTable } from './code-units.ts';
import { distanceToLast } from './distance-to-last.ts';
import type { Runs } from './runs.ts';

export interface Chant {
  /** How often it came, one time after the other. */
  readonly count: number;
  /** From how often on that counts as a loop: less often for a paragraph than for a phrase. */
  readonly threshold: number;
  /** What is repeated, cut. */
  readonly sample: string;
}

export interface ChantDetector {
  /** More of the output; what is repeated, once it is. */
  push(text: string): Chant | undefined;
  /** The end of the output: a last look. */
  end(): Chant | undefined;
}

/** What is repeated may be this long. */
const MAX_PERIOD_CHARACTERS = 1_000;
const MIN_REPEATED_CHARACTERS = 400;
/** A phrase must come more often than a paragraph. */
const PHRASE_CHARACTERS = 60;
const PHRASE_REPETITIONS = 10;
const PARAGRAPH_REPETITIONS = 6;
const REMEMBERED_CHARACTERS = (PARAGRAPH_REPETITIONS + 2) * MAX_PERIOD_CHARACTERS;

/** By which the beginning of a repetition is found. */
const PROBE_CHARACTERS = 40;
const CHARACTERS_BETWEEN_LOOKS = 256;
const SAMPLE_CHARACTERS = 60;
/** So much of a line tells what it is; of a number, all its digits. */
const TELLING_CHARACTERS = 5;
const MAX_NUMBER_CHARACTERS = 20;

/** What the two below begin with: nearly every line begins with something else. */
const MARKS = new Set(Array.from('`~|#>*+•=-0123456789', unitOf));
const FENCE = /^(?:```|~~~)/u;
const NO_PROSE = /^(?:\||#|>|[-*+•] |\d+[.)]|---|===|\*\*\*)/u;
const NUMBER = /^\d+$/u;

/** Case and the kind of white space make no difference. Figures do: what counts up gets somewhere. */
const proseUnits = unitTable((table) => {
  for (const blank of BLANKS) table[unitOf(blank)] = SPACE;
});
const ONE_SPACE = Uint16Array.of(SPACE);

export function createChantDetector(): ChantDetector {
  return new ProseReader();
}

export function findChant(text: string): Chant | undefined {
  if (text.length < MIN_REPEATED_CHARACTERS) return undefined;
  whole.restart();
  return whole.push(text) ?? whole.end();
}

const RUN_REPETITIONS = 5;

/**
 * Whether it is worth looking for a chant in this text, by its runs of words: false only where `findChant` finds none. Where a
 * word ends every 30 characters, a paragraph has two words or more, and a phrase at least one. Of `w` words that come `n` times,
 * one at the seam may be cut through: `n * w - 1` are whole and make `n * w - 3` runs, of which no more than `w` are different.
 * So one comes five times, at least: a paragraph of two or three words that comes six times has no more than that.
 */
export function mayHoldChant({ repetitions, isDense }: Runs): boolean {
  return !isDense || repetitions >= RUN_REPETITIONS;
}

class ProseReader implements ChantDetector {
  /** Folded, the newest last. Holds twice what is remembered, so that it is moved seldom. */
  readonly #prose = new Uint16Array(2 * (REMEMBERED_CHARACTERS + CHARACTERS_BETWEEN_LOOKS));
  #length = 0;
  #endsBlank = 0;
  #unseen = 0;
  #isCode = false;
  #line: 'beginning' | 'prose' | 'skipped' = 'beginning';
  /** Of a line that begins with a mark, what there is so far. */
  #beginning = '';

  restart(): void {
    this.#forget();
    this.#unseen = 0;
    this.#isCode = false;
    this.#line = 'beginning';
    this.#beginning = '';
  }

  push(text: string): Chant | undefined {
    for (let start = 0; start < text.length; ) {
      const count = readUnits(text, start);
      for (let index = 0; index < count; ) {
        index = this.#take(index, count);
        const chant = this.#unseen >= CHARACTERS_BETWEEN_LOOKS ? this.end() : undefined;
        if (chant !== undefined) return chant;
      }
      start += count;
    }
    return undefined;
  }

  end(): Chant | undefined {
    this.#unseen = 0;
    const chant = repetitionAtEnd(this.#prose, this.#length);
    if (this.#length > 2 * REMEMBERED_CHARACTERS) {
      this.#prose.copyWithin(0, this.#length - REMEMBERED_CHARACTERS, this.#length);
      this.#length = REMEMBERED_CHARACTERS;
    }
    return chant;
  }

  /** Takes the units from `index` on, at most up to `stop`, the end of the line, or the next look. Returns where it stopped. */
  #take(index: number, stop: number): number {
    const unit = units[index]!;
    if (unit === LINE_FEED) return this.#endLine(index);
    switch (this.#line) {
      case 'prose':
        return this.#append(units, index, Math.min(stop, index + CHARACTERS_BETWEEN_LOOKS - this.#unseen));
      case 'skipped':
        return endOfLine(index, stop);
      case 'beginning':
        return this.#begin(unit, index);
    }
  }

  #begin(unit: number, index: number): number {
    if (this.#beginning === '') {
      if (proseUnits()[unit] === SPACE) return index + 1;
      if (!MARKS.has(unit)) {
        this.#decide('');
        return index;
      }
    }
    this.#beginning += String.fromCharCode(unit);
    if (tells(this.#beginning)) this.#decide(this.#beginning);
    return index + 1;
  }

  #endLine(index: number): number {
    // A line that ended before it told what it is: decided now, and ended in the next step.
    if (this.#line === 'beginning') {
      this.#decide(this.#beginning);
      return index;
    }
    if (this.#line === 'prose') this.#append(ONE_SPACE, 0, 1);
    this.#line = 'beginning';
    this.#beginning = '';
    return index + 1;
  }

  #decide(beginning: string): void {
    const isMarked = beginning !== '';
    const isFence = isMarked && FENCE.test(beginning);
    this.#line = isFence || this.#isCode || (isMarked && NO_PROSE.test(beginning)) ? 'skipped' : 'prose';
    if (isFence) this.#isCode = !this.#isCode;
    if (this.#line === 'skipped') this.#forget();
    else if (isMarked) this.#append(Uint16Array.from(beginning, unitOf), 0, beginning.length);
  }

  #forget(): void {
    this.#length = 0;
    this.#endsBlank = 0;
  }

  /** Takes units of prose up to `stop`, the end of the line or the next look, and returns where it stopped. */
  #append(source: Uint16Array, start: number, stop: number): number {
    const [prose, known] = [this.#prose, proseUnits()];
    const before = this.#length;
    let length = before;
    let endsBlank = this.#endsBlank;
    let index = start;
    for (; index < stop; index++) {
      const unit = source[index]!;
      if (unit === LINE_FEED) break;
      const code = known[unit]!;
      const isBlank = isEqual(code, SPACE);
      prose[length] = code;
      // Not by a branch: the processor guesses wrongly at each word, which takes longer than all the rest.
      length += 1 - (isBlank & endsBlank);
      endsBlank = isBlank;
    }
    this.#unseen += length - before;
    this.#length = length;
    this.#endsBlank = endsBlank;
    return index;
  }
}

function unitOf(character: string): number {
  return character.charCodeAt(0);
}

function tells(beginning: string): boolean {
  const enough = NUMBER.test(beginning) ? MAX_NUMBER_CHARACTERS : TELLING_CHARACTERS;
  return beginning.length >= enough;
}

function endOfLine(index: number, stop: number): number {
  let end = index;
  while (end < stop && units[end] !== LINE_FEED) end++;
  return end;
}

function repetitionAtEnd(prose: Uint16Array, length: number): Chant | undefined {
  if (length < MIN_REPEATED_CHARACTERS) return undefined;
  const period = distanceToLast(prose, { stop: length, length: PROBE_CHARACTERS, most: MAX_PERIOD_CHARACTERS });
  if (period === undefined) return undefined;
  let repeated = period;
  while (repeated < length && prose[length - 1 - repeated] === prose[length - 1 - repeated + period]) repeated++;
  const count = Math.floor(repeated / period);
  const least = period < PHRASE_CHARACTERS ? PHRASE_REPETITIONS : PARAGRAPH_REPETITIONS;
  if (count < least || repeated < MIN_REPEATED_CHARACTERS) return undefined;
  const phrase = String.fromCharCode(...prose.subarray(length - period, length));
  if (!/\p{L}/u.test(phrase)) return undefined;
  return { count, threshold: least, sample: phrase.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed() };
}

/** Used for all texts that are there as a whole: what it remembers takes longer to make than a text to read. */
const whole = new ProseReader();
