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

/**
 * First and last character of ranges, beside ASCII, of which none joins another, and how wide each is: most of what is written.
 * Of a text that has no others, graphemes need not be looked for, which takes a hundred times as long.
 */
const STANDALONE_RANGES: readonly (readonly [first: number, last: number, width: 1 | 2])[] = [
  [0xa0, 0xac, 1],
  [0xae, 0x2ff, 1],
  [0x370, 0x482, 1],
  [0x48a, 0x52f, 1],
  [0x2010, 0x2027, 1],
  [0x2030, 0x205e, 1],
  [0x2190, 0x22ff, 1],
  [0x2500, 0x25a0, 1],
  [0x2710, 0x2727, 1],
  [0x3001, 0x3029, 2],
  [0x3041, 0x3096, 2],
  [0x30a0, 0x30ff, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2],
  [0xff01, 0xff60, 2],
  [0x1f300, 0x1f320, 2],
  [0x1f337, 0x1f37c, 2],
  [0x1f442, 0x1f4fc, 2],
  [0x1f600, 0x1f64f, 2],
  [0x1f680, 0x1f6c5, 2],
  [0x1f910, 0x1f93a, 2],
  [0x1f947, 0x1f9ff, 2],
];

const TAB_STOP = 8;
/** Also the sign that ends what was cut. */
const PLAIN = /^[\x20-\x7e\u2026]*$/;
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
  const alone = standaloneTextWidth(text);
  if (alone !== undefined) return alone;
  let column = start;
  for (const { segment } of segmentsOf(text)) column += widthAt(column, segment);
  return column - start;
}

/** The beginning of a line that fits `columns`, with `…` for what does not. Looks no further than that. */
export function fitWidth(text: string, columns: number): string {
  // Whatever is behind them is wider than that.
  if (PLAIN.test(text.slice(0, columns + 1))) {
    if (text.length <= columns) return text;
    return columns < 1 ? '' : `${text.slice(0, columns - 1)}…`;
  }
  const alone = fitStandalone(text, columns);
  if (alone !== undefined) return alone;
  let fitting = '';
  let width = 0;
  for (const { segment } of segmentsOf(text)) {
    width += widthAt(width, segment);
    if (width > columns) return columns < 1 ? '' : `${fitting}…`;
    if (width < columns) fitting += segment;
  }
  return text;
}

/** Undefined where a character may join another. */
function standaloneTextWidth(text: string): number | undefined {
  let sum = 0;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at)!;
    const width = standaloneWidth(codePoint);
    if (width === 0) return undefined;
    sum += width;
    at += lengthOf(codePoint);
  }
  return sum;
}

/** The same for `fitWidth`, of what it looks at. */
function fitStandalone(text: string, columns: number): string | undefined {
  let sum = 0;
  let fitting = 0;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at)!;
    const width = standaloneWidth(codePoint);
    if (width === 0) return undefined;
    sum += width;
    if (sum > columns) return columns < 1 ? '' : `${text.slice(0, fitting)}…`;
    at += lengthOf(codePoint);
    if (sum < columns) fitting = at;
  }
  return text;
}

/** Columns of a character that joins no other; 0 where that is not known. */
function standaloneWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint >= 0x20 && codePoint <= 0x7e) return 1;
  for (const [first, last, width] of STANDALONE_RANGES) {
    if (codePoint < first) return 0;
    if (codePoint <= last) return width;
  }
  return 0;
}

/** In code units. */
function lengthOf(codePoint: number): 1 | 2 {
  return codePoint > 0xffff ? 2 : 1;
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
