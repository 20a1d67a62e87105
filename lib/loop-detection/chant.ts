// Says whether an output repeats the same words over and over: a model that got stuck in the middle of an answer. Takes the
// text as it streams, in pieces of any size, and looks at prose alone: code, tables, lists, headings and quotations repeat
// themselves for good reasons. Bounded: remembers a few thousand characters. Pure.

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
/** So much of a line tells what it is. */
const TELLING_CHARACTERS = 5;

/** What the two below begin with: nearly every line begins with something else. */
const MARK = /^[`~|#>*+•=\d-]/u;
const FENCE = /^(?:```|~~~)/u;
const NO_PROSE = /^(?:\||#|>|[-*+•] |\d+[.)]|---|===|\*\*\*)/u;

export function createChantDetector(): ChantDetector {
  let prose = '';
  let endsBlank = false;
  let unseen = 0;
  let isCode = false;
  let line: 'beginning' | 'prose' | 'skipped' = 'beginning';
  let beginning = '';

  function take(piece: string, endsLine: boolean): void {
    if (line === 'beginning') {
      beginning += piece;
      if (beginning.trimStart().length >= TELLING_CHARACTERS || endsLine) beginLine(beginning.trimStart());
    } else if (line === 'prose') append(piece);
    if (!endsLine) return;
    if (line === 'prose') append(' ');
    line = 'beginning';
    beginning = '';
  }

  function beginLine(text: string): void {
    const isMarked = MARK.test(text);
    const isFence = isMarked && FENCE.test(text);
    line = isFence || isCode || (isMarked && NO_PROSE.test(text)) ? 'skipped' : 'prose';
    if (isFence) isCode = !isCode;
    if (line === 'prose') {
      append(text);
    } else {
      prose = '';
      endsBlank = false;
    }
  }

  function append(text: string): void {
    const folded = fold(text);
    const rest = endsBlank ? folded.trimStart() : folded;
    if (rest === '') return;
    prose += rest;
    // Asking `prose` itself would make one string of its pieces at each of them.
    endsBlank = rest.endsWith(' ');
    unseen += rest.length;
    if (prose.length > 2 * REMEMBERED_CHARACTERS) prose = prose.slice(-REMEMBERED_CHARACTERS);
  }

  function look(): Chant | undefined {
    unseen = 0;
    return repetitionAtEnd(prose);
  }

  return {
    push(text) {
      let newline = text.indexOf('\n');
      for (let start = 0; start < text.length; ) {
        const lineEnd = newline < 0 ? text.length : newline;
        const stop = Math.min(lineEnd, start + CHARACTERS_BETWEEN_LOOKS);
        const endsLine = stop === newline;
        take(text.slice(start, stop), endsLine);
        const chant = unseen >= CHARACTERS_BETWEEN_LOOKS ? look() : undefined;
        if (chant !== undefined) return chant;
        start = endsLine ? stop + 1 : stop;
        if (endsLine) newline = text.indexOf('\n', start);
      }
      return undefined;
    },
    end: look,
  };
}

export function findChant(text: string): Chant | undefined {
  if (text.length < MIN_REPEATED_CHARACTERS) return undefined;
  const detector = createChantDetector();
  return detector.push(text) ?? detector.end();
}

/** Case and white space make no difference. Figures do: what counts up gets somewhere. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  // Most text has single spaces alone: finding out costs a tenth of replacing them.
  return /\s\s|[\t-\r]/.test(lower) ? lower.replace(/\s+/g, ' ') : lower;
}

function repetitionAtEnd(prose: string): Chant | undefined {
  if (prose.length < MIN_REPEATED_CHARACTERS) return undefined;
  const recent = prose.slice(-MAX_PERIOD_CHARACTERS - PROBE_CHARACTERS);
  const end = recent.length - PROBE_CHARACTERS;
  const before = recent.lastIndexOf(recent.slice(end), end - 1);
  if (before < 0) return undefined;
  const period = end - before;
  let repeated = period;
  while (repeated < prose.length && prose.at(-1 - repeated) === prose.at(-1 - repeated + period)) repeated++;
  const count = Math.floor(repeated / period);
  const least = period < PHRASE_CHARACTERS ? PHRASE_REPETITIONS : PARAGRAPH_REPETITIONS;
  const phrase = prose.slice(-period);
  if (count < least || repeated < MIN_REPEATED_CHARACTERS || !/\p{L}/u.test(phrase)) return undefined;
  return { count, threshold: least, sample: phrase.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed() };
}
