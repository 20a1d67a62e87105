// The lines of a text that show why it was found. Pure.
import { findTerm, fold, type Query } from './words.ts';

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

export interface Excerpt {
  /** The line that says most. */
  readonly number: number;
  /** It and its neighbours. */
  readonly lines: readonly Line[];
  /** Other lines worth a look. */
  readonly others: readonly number[];
}

const NEIGHBOURS = 2;
const MAX_OTHERS = 4;
const MAX_LINE_CHARACTERS = 160;

/** Where something is made or named, rather than used. */
const DEFINITION =
  /^\s*(?:#{1,6} |export |(?:async )?function |class |interface |type |const |def |fn |func |struct |enum |public )/;

/** Undefined if no line holds a term: the path alone was found. */
export function excerptOf(text: string, query: Query, weights: readonly number[]): Excerpt | undefined {
  const lines = splitLines(text);
  const scored = lines
    .map((line, index) => ({ index, ...lineScore(line, query, weights) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const best = scored[0];
  if (!best) return undefined;
  const from = Math.max(0, best.index - NEIGHBOURS);
  const shown = lines.slice(from, best.index + NEIGHBOURS + 1).map((line, offset) => ({
    number: from + offset + 1,
    text: shorten(line, from + offset === best.index ? best.at : 0),
  }));
  const others = scored
    .slice(1)
    .map(({ index }) => index)
    .filter((index) => Math.abs(index - best.index) > NEIGHBOURS)
    .slice(0, MAX_OTHERS);
  return { number: best.index + 1, lines: shown, others: others.map((index) => index + 1).sort((a, b) => a - b) };
}

/** Also the last line of a text that ends without a line end; not the nothing behind one that does. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A long line, cut so that the character at `around` is in it. */
export function shorten(line: string, around = 0): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const from = Math.max(0, Math.min(around - MAX_LINE_CHARACTERS / 4, line.length - MAX_LINE_CHARACTERS));
  const cut = line
    .slice(from, from + MAX_LINE_CHARACTERS)
    .toWellFormed()
    .replace(/^\uFFFD|\uFFFD$/g, '');
  return `${from > 0 ? '…' : ''}${cut}${from + MAX_LINE_CHARACTERS < line.length ? '…' : ''}`;
}

function lineScore(line: string, query: Query, weights: readonly number[]): { score: number; at: number } {
  const folded = fold(line);
  let score = 0;
  let first = -1;
  query.terms.forEach((term, index) => {
    const at = findTerm(term, line, folded);
    if (at === -1) return;
    score += weights[index]!;
    if (first === -1 || at < first) first = at;
  });
  return { score: score > 0 && DEFINITION.test(line) ? score * 1.2 : score, at: Math.max(0, first) };
}
