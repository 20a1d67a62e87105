// How many columns a text takes on a terminal: two for wide characters and emoji, none for marks that join the one
// before. The text is sanitized already and holds no escape sequences.
import { eastAsianWidth } from 'get-east-asian-width';

const TAB_STOP = 8;
/** ASCII, and the sign that ends a cut text. */
const PLAIN = /^[\x20-\x7e\u2026]*$/;
/**
 * Characters that never join their neighbour: most text is nothing else. Looking for graphemes takes a hundred times as
 * long.
 */
const SIMPLE =
  /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u25a0\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;
/** Made when they are first used: classes of Unicode take long to be expanded, and a start need not wait for it. */
let zeroWidth: RegExp | undefined;
let emoji: RegExp | undefined;

let segmenter: Intl.Segmenter | undefined;
/** Made for the first text that is not plain: it loads tables, which takes longer than most commands do. */
function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** What a reader takes for single characters. */
export function splitGraphemes(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  return Array.from(segmentsOf(text), ({ segment }) => segment);
}

/** Columns that one grapheme takes. */
export function graphemeWidth(grapheme: string): 0 | 1 | 2 {
  if (PLAIN.test(grapheme)) return grapheme === '' ? 0 : 1;
  emoji ??= /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f\u20e3|\p{Regional_Indicator}{2}/u;
  if (emoji.test(grapheme)) return 2;
  zeroWidth ??= /^[\p{Mark}\p{Format}]+$/u;
  if (zeroWidth.test(grapheme)) return 0;
  return eastAsianWidth(grapheme.codePointAt(0)!);
}

/** Columns that a line takes when it starts at column `start`; tabs go to the next multiple of eight. */
export function textWidth(text: string, start = 0): number {
  if (PLAIN.test(text)) return text.length;
  let column = start;
  for (const grapheme of graphemesOf(text)) column += widthAt(column, grapheme);
  return column - start;
}

/** The beginning of a line that fits `columns`, with `…` for the rest. Looks no further than that. */
export function fitWidth(text: string, columns: number): string {
  // A character of this class takes one column at least, so the first that does not fit is among these.
  const beginning = text.slice(0, columns + 1);
  let fitting = '';
  let width = 0;
  for (const grapheme of SIMPLE.test(beginning) ? beginning : graphemesOf(text)) {
    width += widthAt(width, grapheme);
    if (width > columns) return columns < 1 ? '' : `${fitting}…`;
    if (width < columns) fitting += grapheme;
  }
  return text;
}

/** UTF-16 units that a grapheme has at most, nearly always. */
const LONGEST_GRAPHEME = 16;

/** The end of a line that fits `columns`, with `…` for the rest. Looks no further than that. */
export function fitEnd(text: string, columns: number): string {
  if (columns < 1) return '';
  const ending = text.slice(-LONGEST_GRAPHEME * (columns + 1));
  if (ending.length === text.length && textWidth(text) <= columns) return text;
  const graphemes = splitGraphemes(ending);
  let width = 1;
  let from = graphemes.length;
  // The first one may be the second half of a longer one.
  while (from > 1 && width + graphemeWidth(graphemes[from - 1]!) <= columns) width += graphemeWidth(graphemes[--from]!);
  return `…${graphemes.slice(from).join('')}`;
}

function* graphemesOf(text: string): Iterable<string> {
  if (SIMPLE.test(text)) yield* text;
  else for (const { segment } of segmentsOf(text)) yield segment;
}

function widthAt(column: number, grapheme: string): number {
  return grapheme === '\t' ? TAB_STOP - (column % TAB_STOP) : graphemeWidth(grapheme);
}
