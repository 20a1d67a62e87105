// The lines of a text that show why it was found. Pure.
import { type Query, wordsIn } from '../../ranking/words.ts';

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
export function excerptOf(text: string, { terms }: Query, weights: readonly number[]): Excerpt | undefined {
  const lines = splitLines(text);
  const weightOf = new Map(terms.map(({ stem }, index) => [stem, weights[index]!]));
  const scored = lines
    .map((line, index) => {
      const words = [...wordsIn(line)].filter(({ stem }) => weightOf.has(stem));
      const score = [...new Set(words.map(({ stem }) => stem))].reduce((sum, stem) => sum + weightOf.get(stem)!, 0);
      return { index, at: words[0]?.at ?? 0, score: DEFINITION.test(line) ? score * 1.2 : score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const [best, ...rest] = scored;
  if (!best) return undefined;
  const from = Math.max(0, best.index - NEIGHBOURS);
  const shown = lines.slice(from, best.index + NEIGHBOURS + 1).map((line, offset) => ({
    number: from + offset + 1,
    text: shorten(line, from + offset === best.index ? best.at : 0),
  }));
  const others = rest.filter(({ index }) => Math.abs(index - best.index) > NEIGHBOURS).slice(0, MAX_OTHERS);
  return { number: best.index + 1, lines: shown, others: others.map(({ index }) => index + 1).sort((a, b) => a - b) };
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
