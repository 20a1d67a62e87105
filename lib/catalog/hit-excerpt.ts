// The words around a hit, on one line, from the stored text: the place with the most of the terms.
import { isPlain } from '../ranking/words.ts';
import { hasParts, hasUnspaced, lazily, preparedText } from './prepared-text.ts';
import type { SearchTerm } from './query.ts';

/** Some of a text on one line. */
export interface Excerpt {
  readonly text: string;
  /** Where in `text` something that was searched for begins and ends. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** Which term it is. */
  readonly term: number;
}

const EXCERPT_CHARACTERS = 160;
/** How much stays before the first mark. */
const BEFORE = 40;
/** A longer text is looked through near its rarest word only. */
const WHOLE_CHARACTERS = 4 * 1024;
/** As much of a longer one, where none of the words is found as it is typed. */
const MAX_CHARACTERS = 128 * 1024;
const MAX_SPANS = 1_000;
/** A word that is there more often is as common as others. */
const MAX_PLACES = 20;
/** Words that contain the term, such as `concatenated` for `cat`, and the most that is read of each. */
const MAX_LOOKED = 5_000;
const MAX_AROUND = 64;
const endsInWord = lazily(() => /[\p{L}\p{N}\p{M}]$/u);
const startsInWord = lazily(() => /^[\p{L}\p{N}\p{M}]/u);
/** Signs of ASCII. The properties of Unicode know all others, and take longer. */
const NO_LETTER = /[\0-/:-@[-`{-\x7f]/;
const SPACE = /\s+/gu;
const wordPattern = lazily(() => /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu);
const ASCII_WORD = /^[a-z0-9]+$/i;
const ASCII_WORDS = /[a-z0-9]+/gi;
const ASCII = /^[\0-\x7f]*$/;

/**
 * @example
 * excerptAround('a long text', [{ text: 'long', isPrefix: false }]); // { text: 'a long text', marks: [[2, 6]] }
 */
export function excerptAround(text: string, terms: readonly SearchTerm[]): Excerpt {
  const sought = soughtFor(terms);
  const spans: Span[] = [];
  let done = 0;
  let end = 0;
  for (const part of partsNear(text, sought)) {
    if (part.from > end) {
      // No later place has more than all of them.
      if (bestOf(inOrder(spans.slice(done)), sought.terms)?.terms === sought.terms) break;
      done = spans.length;
    }
    spans.push(...spansIn(text, part, sought));
    end = part.to;
  }
  return windowOf(text, spans, sought.terms);
}

interface SoughtWord {
  /** Folded. */
  readonly word: string;
  /** As it is typed, in small letters. */
  readonly typed: string;
  readonly term: number;
  readonly isPrefix: boolean;
}

/** Forms of a word, and how all of them begin, in small letters. */
interface Forms {
  readonly begin: string;
  readonly words: readonly SoughtWord[];
}

/** The terms of a search as all of its texts are looked through for them. */
interface Sought {
  /** How many different ones there are. */
  readonly terms: number;
  readonly forms: readonly Forms[];
  /** The words of scripts without spaces. */
  readonly unspaced: readonly SoughtWord[];
  readonly inWords: readonly SoughtWord[];
  /** Finds one of the words in a text whose letters are of ASCII; undefined if none can be there. */
  readonly inPlain: RegExp | undefined;
  /** Whether all of the words have only such letters. */
  readonly isPlain: boolean;
}

const soughtBefore = new WeakMap<readonly SearchTerm[], Sought>();

function soughtFor(terms: readonly SearchTerm[]): Sought {
  const known = soughtBefore.get(terms);
  if (known !== undefined) return known;
  const wanted = terms.flatMap((term, index) => {
    const words = wordsOf(term.text);
    return words.map(
      (word, place): SoughtWord => ({
        word: folded(word),
        typed: word.toLowerCase(),
        term: wordOf(term, index),
        isPrefix: term.isPrefix && place === words.length - 1,
      }),
    );
  });
  const inWords = wanted.filter(({ word }) => !hasUnspaced(word));
  const ascii = inWords.map(({ word }) => word).filter((word) => ASCII_WORD.test(word));
  const sought: Sought = {
    terms: new Set(terms.map(wordOf)).size,
    forms: formsOf(wanted),
    unspaced: wanted.filter(({ word }) => hasUnspaced(word)),
    inWords,
    inPlain: ascii.length === 0 ? undefined : new RegExp(ascii.join('|'), 'gi'),
    isPlain: ascii.length === inWords.length,
  };
  soughtBefore.set(terms, sought);
  return sought;
}

/** To look for how the forms of a word begin is to look for all of them at once. */
function formsOf(words: readonly SoughtWord[]): readonly Forms[] {
  const shortestFirst = words.toSorted((a, b) => a.typed.length - b.typed.length);
  const begins = shortestFirst.map(({ typed, term }) => {
    return shortestFirst.find((each) => each.term === term && typed.startsWith(each.typed))!;
  });
  const groups = Map.groupBy(shortestFirst, (_, index) => begins[index]!);
  return Array.from(groups, ([{ typed: begin }, forms]) => ({ begin, words: forms }));
}

/** Several forms of a word are one. */
function wordOf({ formOf }: SearchTerm, index: number): number {
  return formOf ?? index;
}

interface TextPart {
  readonly from: number;
  readonly to: number;
}

/** The parts of a long text around its rarest word of the search, found as it is typed, which takes little time. */
function partsNear(text: string, { forms }: Sought): readonly TextPart[] {
  if (text.length <= WHOLE_CHARACTERS) return [{ from: 0, to: text.length }];
  // The small form of this letter is longer than it.
  const lower = text.replaceAll('İ', 'i').toLowerCase();
  const [rarest] = forms
    .map((each) => placesOf(each, text, lower))
    .filter((places) => places.length > 0)
    .toSorted((a, b) => a.length - b.length);
  if (rarest === undefined) return [{ from: 0, to: Math.min(text.length, MAX_CHARACTERS) }];
  const parts: TextPart[] = [];
  for (const place of rarest) {
    const done = parts.at(-1)?.to ?? 0;
    const to = Math.min(text.length, place + 2 * EXCERPT_CHARACTERS);
    if (to > done) parts.push({ from: Math.max(done, place - 2 * EXCERPT_CHARACTERS), to });
  }
  return parts;
}

/** Without words that are cut off at the ends of the part. */
function spansIn(text: string, { from, to }: TextPart, sought: Sought): Span[] {
  const spans = spansOf(text.slice(from, to), sought);
  const isCut = (at: number) => at > 0 && at < text.length && isWordBefore(text, at) && isWordAfter(text, at);
  const [isCutBefore, isCutAfter] = [from, to].map(isCut);
  return spans
    .map((span) => ({ ...span, start: span.start + from, end: span.end + from }))
    .filter(({ start, end }) => !(isCutBefore && start === from) && !(isCutAfter && end === to));
}

/** Where a word is, as the index has it: by itself, or as a part of another one such as `camelCase`. A few places. */
function placesOf({ begin, words }: Forms, text: string, lower: string): readonly number[] {
  const places: number[] = [];
  let looked = 0;
  for (let at = lower.indexOf(begin); at >= 0; at = lower.indexOf(begin, at + begin.length)) {
    if (places.length === MAX_PLACES || looked === MAX_LOOKED) break;
    looked += 1;
    const isTyped = words.some(({ typed }) => lower.startsWith(typed, at) && isWhole(text, at, typed.length));
    if (isTyped || hasUnspaced(begin) || holdsPiece(wordAround(text, at, begin.length), words)) places.push(at);
  }
  return places;
}

/** Whether the characters before and after are signs, as those of most words are. */
function isWhole(text: string, index: number, length: number): boolean {
  return NO_LETTER.test(text[index - 1] ?? ' ') && NO_LETTER.test(text[index + length] ?? ' ');
}

function wordAround(text: string, index: number, length: number): string {
  let start = index;
  while (index - start < MAX_AROUND && isInWord(text[start - 1] ?? ' ')) start -= 1;
  let end = index + length;
  while (end - index - length < MAX_AROUND && isInWord(text[end] ?? ' ')) end += 1;
  return text.slice(start, end);
}

function isWordBefore(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return code < 0x80 ? isOfAsciiWord(code) : endsInWord().test(text.slice(Math.max(0, at - 2), at));
}

function isWordAfter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x80 ? isOfAsciiWord(code) : startsInWord().test(text.slice(at, at + 2));
}

function isInWord(unit: string): boolean {
  return unit < '\x80' ? ASCII_WORD.test(unit) : endsInWord().test(unit);
}

function holdsPiece(text: string, words: readonly SoughtWord[]): boolean {
  return [...piecesOf(text)].some(({ word }) => words.some((each) => isFormOf(each, word)));
}

function isFormOf({ word, isPrefix }: SoughtWord, found: string): boolean {
  return isPrefix ? found.startsWith(word) : found === word;
}

/** Whether every word of the terms is in a text. */
export function holdsAll(text: string, terms: readonly SearchTerm[]): boolean {
  const words = terms.flatMap(({ text: term, isPrefix }) => {
    const found = wordsOf(term);
    return found.map((word, place) => ({ text: word, isPrefix: isPrefix && place === found.length - 1 }));
  });
  return new Set(spansOf(text, soughtFor(words)).map(({ term }) => term)).size === words.length;
}

/** The words around a place that is known already. */
export function excerptAt(text: string, start: number, end: number): Excerpt {
  return windowOf(text, [{ start, end, term: 0 }], 1);
}

/** Up to the end of the first window that has all of the terms, which is shown. */
function spansOf(text: string, sought: Sought): Span[] {
  const { inWords, unspaced } = sought;
  const spans = unspaced.flatMap(({ word, term }) => spansInside(text, word, term));
  const last = new Map<number, number>();
  let enough = Number.POSITIVE_INFINITY;
  for (const { found, index } of wordsWith(text, sought)) {
    if (spans.length >= MAX_SPANS || index >= enough) break;
    for (const { start, end, word } of piecesOf(found)) {
      const match = inWords.find((each) => isFormOf(each, word));
      if (match === undefined) continue;
      spans.push({ start: index + start, end: index + end, term: match.term });
      last.set(match.term, index + start);
      if (enough === Number.POSITIVE_INFINITY && last.size === sought.terms) {
        const first = Math.min(...last.values());
        if (index + end - first <= EXCERPT_CHARACTERS - BEFORE) enough = first + 2 * EXCERPT_CHARACTERS;
      }
      break;
    }
  }
  return spans;
}

function wordsOf(term: string): readonly string[] {
  return term.match(ASCII.test(term) ? ASCII_WORDS : wordPattern()) ?? [];
}

/** The words of a text that may be one of the wanted ones, or have it as a part. */
function* wordsWith(
  text: string,
  { inWords, inPlain, isPlain: arePlain }: Sought,
): Generator<{ readonly found: string; readonly index: number }> {
  if (inWords.length === 0) return;
  if (!(arePlain ? isPlain(text) : ASCII.test(text))) {
    for (const { 0: found, index } of text.matchAll(wordPattern())) yield { found, index };
    return;
  }
  // Most words hold none of the wanted ones: an expression passes over them quicker than a loop.
  if (inPlain === undefined) return;
  let done = 0;
  for (const { index } of text.matchAll(inPlain)) {
    if (index < done) continue;
    let start = index;
    while (start > done && isOfAsciiWord(text.charCodeAt(start - 1))) start -= 1;
    done = index;
    while (done < text.length && isOfAsciiWord(text.charCodeAt(done))) done += 1;
    yield { found: text.slice(start, done), index: start };
  }
}

function isOfAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a);
}

/** The word, and its parts as the index has them. */
function* piecesOf(found: string): Generator<{ start: number; end: number; word: string }> {
  yield { start: 0, end: found.length, word: folded(found) };
  if (!hasParts(found)) return;
  const [, ...parts] = preparedText(found).trim().split(/\s+/u);
  let start = 0;
  for (const part of parts) {
    const at = found.indexOf(part, start);
    if (at < 0) continue;
    yield { start: at, end: at + part.length, word: folded(part) };
    start = at + part.length;
  }
}

/** In scripts without spaces a term is inside of what looks like a word. */
function spansInside(text: string, word: string, term: number): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(word); start >= 0 && spans.length < MAX_SPANS; start = text.indexOf(word, start + 1)) {
    spans.push({ start, end: start + word.length, term });
  }
  return spans;
}

function folded(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase();
}

function windowOf(text: string, spans: readonly Span[], terms: number): Excerpt {
  const sorted = inOrder(spans);
  const first = bestOf(sorted, terms)?.span;
  const from = first === undefined ? 0 : startBefore(text, first.start);
  const to = endBehind(
    text,
    Math.max(from + EXCERPT_CHARACTERS, Math.min(first?.end ?? 0, from + 2 * EXCERPT_CHARACTERS)),
  );
  const cuts = sorted
    .filter(({ start }) => start >= from && start < to)
    .map(({ start, end }) => [start, Math.min(end, to)]);
  let shown = from > 0 ? '…' : '';
  let at = from;
  const marks: [number, number][] = [];
  for (const [start, end] of cuts) {
    if (start! < at) continue;
    shown += onOneLine(text.slice(at, start));
    const begins = shown.length;
    shown += onOneLine(text.slice(start, end));
    marks.push([begins, shown.length]);
    at = end!;
  }
  shown += onOneLine(text.slice(at, to));
  return { text: `${shown}${to < text.length ? '…' : ''}`, marks };
}

function inOrder(spans: readonly Span[]): readonly Span[] {
  return spans.toSorted((a, b) => a.start - b.start);
}

/** The span from which the most different terms are near; `terms`: how many there are at most. */
function bestOf(spans: readonly Span[], terms: number): { readonly span: Span; readonly terms: number } | undefined {
  let best: { readonly span: Span; readonly terms: number } | undefined;
  for (const [index, span] of spans.entries()) {
    const near = new Set<number>();
    for (let next = index; next < spans.length; next += 1) {
      if (spans[next]!.end - span.start > EXCERPT_CHARACTERS - BEFORE) break;
      near.add(spans[next]!.term);
    }
    if (best === undefined || near.size > best.terms) best = { span, terms: near.size };
    if (best.terms === terms) break;
  }
  return best;
}

/** Where a word begins, a little before. */
function startBefore(text: string, start: number): number {
  if (start <= BEFORE) return 0;
  const from = start - BEFORE;
  const gap = text.slice(from, start).search(/\s/u);
  return gap < 0 ? wellFormed(text, from) : from + gap + 1;
}

function endBehind(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const from = Math.max(0, end - BEFORE + 1);
  const gap = text.slice(from, end).search(/\s\S*$/u);
  return gap < 0 ? wellFormed(text, end) : from + gap;
}

/** Not between the two halves of a character. */
function wellFormed(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at;
}

function onOneLine(text: string): string {
  return text.replace(SPACE, ' ');
}
