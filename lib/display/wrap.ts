// Breaks styled text into lines that fit a width: between words, between wide characters (CJK has no spaces), and
// inside a word only where it is longer than a whole line. Nothing is lost but the spaces at which a line was broken.
import type { Style, StyledLine, StyledSpan } from './paint.ts';
import { fitWidth, graphemeWidth, splitGraphemes, textWidth } from './width.ts';

const TOKENS = /\n|[ \t]+|[^\n \t]+/g;
const WIDE_CHARACTERS =
  '\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\uff01-\\uff60\\u{20000}-\\u{3fffd}';
const WIDE_OR_REST = new RegExp(`[${WIDE_CHARACTERS}]|[^${WIDE_CHARACTERS}]+`, 'gu');
const BEGINS_WIDE = new RegExp(`^[${WIDE_CHARACTERS}]`, 'u');
/** Punctuation that must not begin a line. */
const CLOSING = /^[、。，．！？：；）」』】〉》〕｝]/;

/** At least one line, each at most `width` columns wide (a single character wider than that excepted). */
export function wrapSpans(spans: readonly StyledSpan[], width: number): StyledLine[] {
  const columns = Math.max(1, width);
  const lines: StyledLine[] = [];
  let line: StyledSpan[] = [];
  let column = 0;
  let space: StyledSpan | undefined;
  let word: StyledSpan[] = [];
  let wordWidth = 0;

  const endLine = () => {
    lines.push(line);
    line = [];
    column = 0;
    space = undefined;
  };
  const place = (span: StyledSpan, spanWidth: number) => {
    const last = line.at(-1);
    if (last && sameStyles(last.styles, span.styles)) line[line.length - 1] = { ...last, text: last.text + span.text };
    else line.push(span);
    column += spanWidth;
  };
  const endWord = () => {
    if (word.length === 0) return;
    const spaceWidth = space ? textWidth(space.text) : 0;
    if (column > 0 && column + spaceWidth + wordWidth > columns) endLine();
    if (space && column + spaceWidth <= columns) place(space, spaceWidth);
    space = undefined;
    for (const span of word) {
      if (column + textWidth(span.text) <= columns) place(span, textWidth(span.text));
      else
        for (const grapheme of splitGraphemes(span.text)) {
          const graphemeColumns = graphemeWidth(grapheme);
          if (column > 0 && column + graphemeColumns > columns) endLine();
          place({ text: grapheme, styles: span.styles }, graphemeColumns);
        }
    }
    word = [];
    wordWidth = 0;
  };

  for (const { text, styles } of spans) {
    for (const token of text.match(TOKENS) ?? []) {
      if (token === '\n') {
        endWord();
        endLine();
      } else if (token[0] === ' ' || token[0] === '\t') {
        endWord();
        const spaces = token.replaceAll('\t', '    ');
        space = { text: (space?.text ?? '') + spaces, styles };
      } else {
        for (const piece of token.match(WIDE_OR_REST) ?? []) {
          const meetsWide = BEGINS_WIDE.test(piece) || BEGINS_WIDE.test(word.at(-1)?.text ?? '');
          if (meetsWide && !CLOSING.test(piece)) endWord();
          word.push({ text: piece, styles });
          wordWidth += textWidth(piece);
        }
      }
    }
  }
  endWord();
  if (line.length > 0 || lines.length === 0) endLine();
  return lines;
}

/** Cuts a line into rows of at most `width` columns, character by character, as a terminal would. */
export function cutSpans(line: StyledLine, width: number): StyledLine[] {
  const rows: StyledLine[] = [];
  let row: StyledSpan[] = [];
  let column = 0;
  for (const { text, styles } of line) {
    let kept = '';
    for (const grapheme of splitGraphemes(text)) {
      const graphemeColumns = grapheme === '\t' ? Math.min(8 - (column % 8), width - column) : graphemeWidth(grapheme);
      if (column > 0 && (column + graphemeColumns > width || column >= width)) {
        if (kept) row.push({ text: kept, styles });
        rows.push(row);
        row = [];
        kept = '';
        column = 0;
      }
      kept += grapheme === '\t' ? ' '.repeat(Math.max(1, graphemeColumns)) : grapheme;
      column += graphemeColumns;
    }
    if (kept) row.push({ text: kept, styles });
  }
  rows.push(row);
  return rows;
}

/** Columns that a line takes. */
export function lineWidth(line: StyledLine): number {
  return line.reduce((width, { text }) => width + textWidth(text, width), 0);
}

/** Wraps a line after its first span, which begins each row. */
export function wrapBehind([margin, ...spans]: StyledLine, columns: number): StyledLine[] {
  if (margin === undefined) return [[]];
  return wrapSpans(spans, columns - textWidth(margin.text)).map((row) => [margin, ...row]);
}

/** The beginning of a line that fits `columns`, with `…` for what does not. */
export function fitLine(line: StyledLine, columns: number): StyledLine {
  const fitting: StyledSpan[] = [];
  let room = columns;
  for (const { text, styles } of line) {
    const fitted = fitWidth(text, room);
    if (fitted !== '') fitting.push({ text: fitted, styles });
    room -= textWidth(fitted);
    if (fitted !== text) break;
  }
  return fitting;
}

function sameStyles(one: readonly Style[], other: readonly Style[]): boolean {
  return one.length === other.length && one.every((style, index) => style === other[index]);
}
