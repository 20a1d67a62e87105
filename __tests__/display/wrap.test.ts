import fc from 'fast-check';
import type { StyledLine, StyledSpan } from '../../lib/display/paint.ts';
import { textWidth } from '../../lib/display/width.ts';
import { cutSpans, wrapSpans } from '../../lib/display/wrap.ts';

const plain = (text: string): StyledSpan[] => [{ text, styles: [] }];
const textOf = (line: StyledLine) => line.map((span) => span.text).join('');
const wrap = (text: string, width: number) => wrapSpans(plain(text), width).map(textOf);

const word = fc.oneof(
  fc.stringMatching(/^[a-z,.()]{1,14}$/),
  fc.constantFrom('日本語', '한국어', 'naïve', '👩‍👩‍👧', 'x日y', 'https://example.org/a/long/path'),
);

describe('wrapSpans', () => {
  it('breaks between words', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
  });

  it('breaks a word only if it is longer than a line', () => {
    expect(wrap('a abcdefghij', 4)).toEqual(['a', 'abcd', 'efgh', 'ij']);
  });

  it('breaks between wide characters, and keeps closing punctuation with its word', () => {
    expect(wrap('日本語、日本', 7)).toEqual(['日本', '語、日', '本']);
  });

  it('keeps line breaks and blank lines', () => {
    expect(wrap('a\n\nb', 10)).toEqual(['a', '', 'b']);
  });

  it('keeps a word together that changes its style in the middle', () => {
    const spans: StyledSpan[] = [
      { text: 'aaa ', styles: [] },
      { text: 'bb', styles: ['bold'] },
      { text: 'cc', styles: [] },
    ];
    expect(wrapSpans(spans, 6).map(textOf)).toEqual(['aaa', 'bbcc']);
  });

  it('changes only the spaces at its breaks, and never exceeds the width', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 2, max: 40 }), (words, width) => {
        const lines = wrap(words.join(' '), width);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 500 },
    );
  });

  it('uses no more lines than words when all of them fit', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (words) => {
        const lines = wrap(words.join(' '), 10);
        expect(lines.join(' ')).toBe(words.join(' '));
      }),
    );
  });
});

describe('cutSpans', () => {
  it('cuts where a terminal would', () => {
    expect(cutSpans(plain('abcdef'), 4).map(textOf)).toEqual(['abcd', 'ef']);
    expect(cutSpans(plain('a日本'), 4).map(textOf)).toEqual(['a日', '本']);
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 9 }), (text, width) => {
        const shown = text.replaceAll('\t', '').replaceAll('\n', '');
        expect(cutSpans(plain(shown), width).map(textOf).join('')).toBe(shown);
      }),
      { numRuns: 300 },
    );
  });
});
