// How many columns a text takes on a terminal: two for wide characters and emoji, none for marks that join the one before.
// The text is sanitized already and holds no escape sequences.

/** First and last code point of each range that is two columns wide (East Asian Wide and Fullwidth, Unicode 16). */
const WIDE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

const TAB_STOP = 8;
const PLAIN = /^[\x20-\x7e]*$/;
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
  return isWide(grapheme.codePointAt(0)!) ? 2 : 1;
}

/** Columns that a line takes when it starts at column `start`; tabs go to the next multiple of eight. */
export function textWidth(text: string, start = 0): number {
  if (PLAIN.test(text)) return text.length;
  let column = start;
  for (const { segment } of segmentsOf(text)) column += widthAt(column, segment);
  return column - start;
}

/** The beginning of a line that fits `columns`, with `…` for what does not. Looks no further than that. */
export function fitWidth(text: string, columns: number): string {
  if (text.length <= columns && PLAIN.test(text)) return text;
  let fitting = '';
  let width = 0;
  for (const { segment } of segmentsOf(text)) {
    width += widthAt(width, segment);
    if (width > columns) return columns < 1 ? '' : `${fitting}…`;
    if (width < columns) fitting += segment;
  }
  return text;
}

function widthAt(column: number, grapheme: string): number {
  return grapheme === '\t' ? TAB_STOP - (column % TAB_STOP) : graphemeWidth(grapheme);
}

function isWide(codePoint: number): boolean {
  for (const [first, last] of WIDE_RANGES) {
    if (codePoint < first) return false;
    if (codePoint <= last) return true;
  }
  return false;
}
