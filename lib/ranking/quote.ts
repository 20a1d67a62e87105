// The part of a passage that is quoted: the paragraph with its heading, or the definition, around the most relevant
// line. Cut at the borders of the text, to a bounded number of lines. Pure.
import { definitionOf } from './definitions.ts';
import { wordsIn } from './words.ts';

export interface Quote {
  /** The line that says most, from 0 at the beginning of the passage. */
  readonly best: number;
  /** The first line of the quote. */
  readonly first: number;
  readonly text: string;
}

interface QuoteOptions {
  /** What a word counts, by its stem; 0 where it is not asked for. */
  readonly weightOf: (stem: string) => number;
  /** Names whose definition says most. */
  readonly identifiers: readonly string[];
  readonly kind: 'prose' | 'code' | 'data';
  /** The line that says most is the first that has this; with `head` it is where the text begins to say something. */
  readonly says?: RegExp | 'head' | undefined;
}

const MAX_LINES = 14;
const MAX_BEFORE = 6;
const MAX_HEAD_LINES = 18;
const HEADING = /^#{1,6} /;
const FENCE = /^\s*(?:```|~~~)/;
/** Pictures, badges and markup above the first words of a README. */
const DECORATION = /^\s*(?:<|\[?!\[|\[!\[|\[[^\]]*\]\([^)]*\)\s*$|[-=*_]{3,}\s*$|$)/;
/** Where something is made or named, rather than used. */
const NAMED =
  /^\s*(?:#{1,6} |export |(?:async )?function |class |interface |type |const |def |fn |func |struct |enum |public )/;

export function quoteOf(text: string, options: QuoteOptions): Quote {
  const lines = text.split('\n');
  const best = bestLine(lines, options);
  const [first, end] =
    options.says === 'head'
      ? headAround(lines, best)
      : options.kind === 'prose'
        ? paragraphAround(lines, best)
        : definitionAround(lines, best, options.kind === 'data' ? 0 : MAX_BEFORE);
  return { best, first, text: lines.slice(first, end).join('\n') };
}

function bestLine(lines: readonly string[], { weightOf, identifiers, says }: QuoteOptions): number {
  if (says === 'head') {
    const found = lines.findIndex((line) => !DECORATION.test(line));
    return Math.max(0, found);
  }
  if (says !== undefined) {
    const found = lines.findIndex((line) => says.test(line));
    if (found >= 0) return found;
  }
  const defines = definitionOf(identifiers);
  let [best, most] = [-1, 0];
  lines.forEach((line, index) => {
    let score = 0;
    for (const stem of new Set(Array.from(wordsIn(line), (word) => word.stem))) score += weightOf(stem);
    if (NAMED.test(line)) score *= 1.2;
    if (defines(line).length > 0) score = 1 + score * 2;
    if (score > most) [best, most] = [index, score];
  });
  return best >= 0
    ? best
    : Math.max(
        0,
        lines.findIndex((line) => line.trim() !== ''),
      );
}

type Range = readonly [first: number, end: number];

/** From the first words to the second heading. */
function headAround(lines: readonly string[], best: number): Range {
  const next = lines.findIndex((line, index) => index > best + 1 && HEADING.test(line) && hasProse(lines, best, index));
  const end = Math.min(next < 0 ? lines.length : next, best + MAX_HEAD_LINES);
  const fences = lines.slice(best, end).filter((line) => FENCE.test(line)).length;
  const opened = fences % 2 === 0 ? -1 : lines.slice(0, end).findLastIndex((line) => FENCE.test(line));
  return trimmed(lines, best, opened > best ? opened : end);
}

function hasProse(lines: readonly string[], from: number, to: number): boolean {
  return lines.slice(from, to).some((line) => !DECORATION.test(line) && !HEADING.test(line));
}

/** Up to the blank lines around it, with the heading directly above; a heading with its text. */
function paragraphAround(lines: readonly string[], best: number): Range {
  let first = best;
  while (first > 0 && best - first < MAX_BEFORE && !isBlank(lines[first - 1]) && !HEADING.test(lines[first]!))
    first -= 1;
  const above = lines.slice(0, first).findLastIndex((line) => line.trim() !== '');
  if (above >= 0 && HEADING.test(lines[above]!)) first = above;
  let end = best + 1;
  let isFenced = false;
  while (end < lines.length && end - first < MAX_LINES) {
    const line = lines[end]!;
    if (FENCE.test(line)) isFenced = !isFenced;
    else if (HEADING.test(line) && !isFenced) break;
    const isOver = isBlank(line) && !isFenced && !goesOn(lines, end);
    if (isOver) break;
    end += 1;
  }
  return trimmed(lines, first, end);
}

/** After a heading, and after what ends with a colon, the next paragraph belongs to it. */
function goesOn(lines: readonly string[], blank: number): boolean {
  const before = lines[blank - 1] ?? '';
  return HEADING.test(before) || /:\s*$/.test(before) || isBlank(before);
}

/** With the comment above it, to the line that closes it. */
function definitionAround(lines: readonly string[], best: number, maxBefore: number): Range {
  let first = best;
  while (first > 0 && best - first < maxBefore && !isBlank(lines[first - 1]) && isAbove(lines, first)) first -= 1;
  const depth = indentation(lines[best]!);
  let end = best + 1;
  while (end < lines.length && end - first < MAX_LINES) {
    const line = lines[end]!;
    if (isBlank(line) && indentation(lines[end + 1] ?? '') <= depth) break;
    if (!isBlank(line) && indentation(line) <= depth && (maxBefore === 0 || indentation(line) < depth)) {
      if (/^\s*[}\])]/.test(line) && indentation(line) === depth) end += 1;
      break;
    }
    end += 1;
    if (!isBlank(line) && indentation(line) === depth && /^\s*[}\])]/.test(line)) break;
  }
  return trimmed(lines, first, end);
}

/** Whether the line before belongs to this one: a comment, a decorator, or the definition around it. */
function isAbove(lines: readonly string[], index: number): boolean {
  const [before, line] = [lines[index - 1]!, lines[index]!];
  return !/^\S*[}\])];?\s*$/.test(before.trimEnd()) || indentation(before) > indentation(line);
}

function trimmed(lines: readonly string[], first: number, end: number): Range {
  let last = end;
  while (last > first + 1 && isBlank(lines[last - 1])) last -= 1;
  return [first, last];
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}
