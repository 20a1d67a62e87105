// Cuts a text into passages of about 400 tokens at natural borders: headings, blank lines, lines without indentation.
// Neighbours share about a tenth, so that text at a border is whole in one of them. Pure.
import { estimateTokens } from '../tokens/estimate.ts';

/** A piece of a text. */
interface CutPassage {
  /** The first of its lines, from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** The Markdown headings that it is under, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

const PASSAGE_TOKENS = 400;
const LEAST_TOKENS = 240;
const OVERLAP_TOKENS = 40;
/** A longer line, such as one of a minified file, is cut where it is. */
const MAX_LINE_CHARACTERS = 1_200;
/** The limit for one text: a longer one is data, not text to read. */
const MAX_PASSAGES = 2_000;
/** More than any passage has. */
const MAX_PASSAGE_CHARACTERS = 8_192;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const FENCE = /^\s*(?:```|~~~)/;

interface CutOptions {
  readonly isMarkdown: boolean;
  readonly maxPassages?: number | undefined;
}

interface Line {
  readonly number: number;
  readonly text: string;
  readonly tokens: number;
  /** How good a border is before it: 0 is in the middle of a sentence. */
  readonly border: number;
  readonly headings: readonly string[];
}

/**
 * @example
 * cutText('# Title\n\nSome words.', { isMarkdown: true }); // [{ line: 1, lastLine: 3, headings: ['Title'], text: … }]
 */
export function cutText(text: string, { isMarkdown, maxPassages = MAX_PASSAGES }: CutOptions): CutPassage[] {
  const lines = linesOf(text.slice(0, maxPassages * MAX_PASSAGE_CHARACTERS), isMarkdown);
  const passages: CutPassage[] = [];
  for (let start = 0; start < lines.length && passages.length < maxPassages; ) {
    const end = endOf(lines, start);
    const some = lines.slice(start, end);
    const first = some.find(isSaying);
    const last = some.findLast(isSaying);
    if (first !== undefined && last !== undefined) {
      const body = some.slice(some.indexOf(first), some.indexOf(last) + 1);
      passages.push({ line: first.number, lastLine: last.number, headings: first.headings, text: joined(body) });
    }
    if (end >= lines.length) break;
    start = Math.max(start + 1, startBefore(lines, end));
  }
  return passages;
}

function linesOf(text: string, isMarkdown: boolean): Line[] {
  const lines: Line[] = [];
  let headings: readonly { readonly level: number; readonly title: string }[] = [];
  let isFenced = false;
  let isAfterBlank = true;
  for (const [index, whole] of text.split(/\r\n|\n|\r/).entries()) {
    if (isMarkdown && FENCE.test(whole)) isFenced = !isFenced;
    const [, marks, title] = isMarkdown && !isFenced ? (HEADING.exec(whole) ?? []) : [];
    if (marks !== undefined && title !== undefined) {
      headings = [...headings.filter(({ level }) => level < marks.length), { level: marks.length, title }];
    }
    const isBlank = whole.trim() === '';
    const border = marks !== undefined ? 4 : isFenced ? 0 : (isAfterBlank ? 2 : 0) + (/^\s/.test(whole) ? 0 : 1);
    const titles = headings.map((heading) => heading.title);
    for (let at = 0; at === 0 || at < whole.length; at += MAX_LINE_CHARACTERS) {
      const piece = whole.slice(at, at + MAX_LINE_CHARACTERS).toWellFormed();
      lines.push({
        number: index + 1,
        text: piece,
        tokens: estimateTokens(piece) + 1,
        border: isBlank ? 0 : at === 0 ? border : 1,
        headings: titles,
      });
    }
    isAfterBlank = isBlank;
  }
  return lines;
}

/** The line after the end of a passage that begins at `start`: at the best border in reach, the last of several. */
function endOf(lines: readonly Line[], start: number): number {
  let tokens = 0;
  let best: { readonly end: number; readonly border: number } | undefined;
  for (let end = start; end < lines.length; end += 1) {
    const { border, tokens: more } = lines[end]!;
    const isHeading = border === 4;
    if (end > start && (tokens >= LEAST_TOKENS || (isHeading && tokens >= OVERLAP_TOKENS * 2))) {
      if (best === undefined || border >= best.border) best = { end, border };
    }
    tokens += more;
    if (tokens > PASSAGE_TOKENS && end > start) return best?.end ?? end;
  }
  return lines.length;
}

/** Where the next passage begins: a little before the border, unless it begins with a heading. */
function startBefore(lines: readonly Line[], end: number): number {
  if (lines[end]!.border === 4) return end;
  let tokens = 0;
  for (let start = end; start > 0; start -= 1) {
    tokens += lines[start - 1]!.tokens;
    if (tokens > OVERLAP_TOKENS) return start;
  }
  return 0;
}

function isSaying({ text }: Line): boolean {
  return text.trim() !== '';
}

/** Pieces of one long line are put together again. */
function joined(lines: readonly Line[]): string {
  let text = '';
  lines.forEach((line, index) => {
    if (index > 0 && lines[index - 1]!.number !== line.number) text += '\n';
    text += line.text;
  });
  return text;
}
