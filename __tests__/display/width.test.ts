import fc from 'fast-check';
import { fitWidth, splitGraphemes, textWidth } from '../../lib/display/width.ts';

describe('textWidth', () => {
  it.each([
    ['plain letters', 'abc', 3],
    ['Japanese', '日本語', 6],
    ['Korean', '한국어', 6],
    ['full-width letters', 'ＡＢ', 4],
    ['an accent of its own', 'e\u0301', 1],
    ['a family of emoji', '👩‍👩‍👧', 2],
    ['a flag', '🇩🇪', 2],
    ['a sign made an emoji', '❤️', 2],
    ['a key cap', '1️⃣', 2],
    ['an emoji with a skin tone', '👍🏽', 2],
    ['box drawing', '│─', 2],
    ['nothing', '', 0],
  ])('knows %s', (_, text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('goes to the next tab stop, counted from the start of the line', () => {
    expect(textWidth('\tx')).toBe(9);
    expect(textWidth('\t', 6)).toBe(2);
  });
});

describe('fitWidth', () => {
  it('cuts a wide character off as a whole', () => {
    expect(fitWidth('日本語', 4)).toBe('日…');
    expect(fitWidth('日本語日本', 5)).toBe('日本…');
  });

  it('leaves room for the ellipsis, and shows nothing where there is no room', () => {
    expect(fitWidth('plain', 5)).toBe('plain');
    expect(fitWidth('plainer', 5)).toBe('plai…');
    expect(fitWidth('x', 0)).toBe('');
  });

  it('never exceeds the columns, and changes nothing that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 20 }), (text, columns) => {
        const fitted = fitWidth(text, columns);
        expect(textWidth(fitted)).toBeLessThanOrEqual(columns);
        if (textWidth(text) <= columns) expect(fitted).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe('splitGraphemes', () => {
  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(splitGraphemes(text).join('')).toBe(text);
      }),
    );
  });
});
