// Says whether an answer repeats the same words over and over: a model that got stuck in the middle of it. Takes the
// text as it streams, in pieces of any size, and reads only prose: code, tables, lists, headings and quotations repeat
// themselves for good reasons. Remembers a few thousand characters. The result does not depend on the pieces.

export interface Chant {
  /** How often it came, one time directly after the other. */
  readonly count: number;
  /** The count from which it is a loop: lower for a paragraph than for a phrase. */
  readonly threshold: number;
  /** The repeated words, cut. */
  readonly sample: string;
}

/** The longest text whose repetition is looked for. */
const MAX_PERIOD_CHARACTERS = 1_000;
const MIN_REPEATED_CHARACTERS = 400;
/** A phrase must come more often than a paragraph. */
const PHRASE_CHARACTERS = 60;
const PHRASE_REPETITIONS = 10;
const PARAGRAPH_REPETITIONS = 6;
const REMEMBERED_CHARACTERS = (PARAGRAPH_REPETITIONS + 2) * MAX_PERIOD_CHARACTERS;

/** The end of the text, of this length, is looked for further up. */
const PROBE_CHARACTERS = 40;
const CHARACTERS_BETWEEN_LOOKS = 256;
const SAMPLE_CHARACTERS = 60;
/** The kind of a line is known from this many characters; for a line of only digits, from the second count. */
const TELLING_CHARACTERS = 5;
const MAX_NUMBER_CHARACTERS = 20;

/** A line that begins otherwise is prose. */
const MARKED = /^[`~|#>*+•=\d-]/u;
const FENCE = /^(?:```|~~~)/u;
const NOT_PROSE = /^(?:\||#|>|[-*+•] |\d+[.)]|---|===|\*\*\*)/u;
const NUMBER = /^\d+$/u;

export function findChant(text: string): Chant | undefined {
  if (text.length < MIN_REPEATED_CHARACTERS) return undefined;
  const reader = new ChantDetector();
  return reader.push(text) ?? reader.end();
}

export class ChantDetector {
  /** White space counts as one space. */
  #prose = '';
  #charactersSinceLook = 0;
  #isCode = false;
  #line: 'unknown' | 'prose' | 'skipped' = 'unknown';
  /** The text of a line of unknown kind until now. */
  #beginning = '';

  /** Takes more of the answer. Returns the repetition as soon as there is one. */
  push(text: string): Chant | undefined {
    for (let start = 0; ; ) {
      const stop = text.indexOf('\n', start);
      const isLineEnd = stop >= 0;
      const chant = this.#take(text.slice(start, isLineEnd ? stop : text.length), isLineEnd);
      if (chant !== undefined || !isLineEnd) return chant;
      start = stop + 1;
    }
  }

  /** Looks once more, at the end of the answer. */
  end(): Chant | undefined {
    this.#charactersSinceLook = 0;
    this.#prose = this.#prose.slice(-REMEMBERED_CHARACTERS);
    return repetitionAtEnd(this.#prose.toLowerCase());
  }

  /** Takes text of one line. */
  #take(text: string, isLineEnd: boolean): Chant | undefined {
    let prose = text;
    if (this.#line === 'unknown') {
      this.#beginning = (this.#beginning + text).trimStart();
      if (!isLineEnd && !tellsKind(this.#beginning)) return undefined;
      prose = this.#beginning;
      this.#beginning = '';
      this.#line = this.#kindOf(prose.slice(0, MAX_NUMBER_CHARACTERS));
    }
    const isProse = this.#line === 'prose';
    if (isLineEnd) this.#line = 'unknown';
    return isProse ? this.#append(isLineEnd ? `${prose} ` : prose) : undefined;
  }

  #kindOf(beginning: string): 'prose' | 'skipped' {
    const isFence = FENCE.test(beginning);
    const isSkipped = isFence || this.#isCode || NOT_PROSE.test(beginning);
    if (isFence) this.#isCode = !this.#isCode;
    if (isSkipped) this.#prose = '';
    return isSkipped ? 'skipped' : 'prose';
  }

  #append(text: string): Chant | undefined {
    const folded = text.replace(/\s+/gu, ' ');
    let start = folded.startsWith(' ') && this.#prose.endsWith(' ') ? 1 : 0;
    while (start < folded.length) {
      const taken = folded.slice(start, start + CHARACTERS_BETWEEN_LOOKS - this.#charactersSinceLook);
      this.#prose += taken;
      this.#charactersSinceLook += taken.length;
      start += taken.length;
      const chant = this.#charactersSinceLook < CHARACTERS_BETWEEN_LOOKS ? undefined : this.end();
      if (chant !== undefined) return chant;
    }
    return undefined;
  }
}

function tellsKind(beginning: string): boolean {
  if (!MARKED.test(beginning)) return beginning !== '';
  const head = beginning.slice(0, MAX_NUMBER_CHARACTERS);
  return head.length >= (NUMBER.test(head) ? MAX_NUMBER_CHARACTERS : TELLING_CHARACTERS);
}

/** Figures count as they are: what counts up gets somewhere. */
function repetitionAtEnd(prose: string): Chant | undefined {
  const { length } = prose;
  if (length < MIN_REPEATED_CHARACTERS) return undefined;
  const near = prose.slice(-(MAX_PERIOD_CHARACTERS + PROBE_CHARACTERS));
  const probe = near.length - PROBE_CHARACTERS;
  const before = near.lastIndexOf(near.slice(probe), probe - 1);
  if (before < 0) return undefined;
  const period = probe - before;
  let repeated = period;
  while (
    repeated < length &&
    prose.charCodeAt(length - 1 - repeated) === prose.charCodeAt(length - 1 - repeated + period)
  ) {
    repeated++;
  }
  const count = Math.floor(repeated / period);
  const threshold = period < PHRASE_CHARACTERS ? PHRASE_REPETITIONS : PARAGRAPH_REPETITIONS;
  const phrase = prose.slice(-period);
  if (count < threshold || repeated < MIN_REPEATED_CHARACTERS || !/\p{L}/u.test(phrase)) return undefined;
  return { count, threshold, sample: phrase.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed() };
}
