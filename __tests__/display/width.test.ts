import fc from 'fast-check';
import { fitEnd, fitWidth, graphemeWidth, splitGraphemes, textWidth } from '../../lib/display/width.ts';

const SEGMENTER = new Intl.Segmenter('en');

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
  ])('is right for %s', (_, text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('goes to the next tab stop, counted from the start of the line', () => {
    expect(textWidth('\tx')).toBe(9);
    expect(textWidth('\t', 6)).toBe(2);
  });
});

describe('a text whose graphemes are not segmented', () => {
  const byGraphemes = (text: string) =>
    Array.from(SEGMENTER.segment(text), ({ segment }) => graphemeWidth(segment) as number).reduce(
      (sum, width) => sum + width,
      0,
    );

  it('is as wide as its graphemes, for any character', () => {
    const wrong: string[] = [];
    for (let codePoint = 0x20; codePoint < 0x20000; codePoint += 1) {
      const text = `${String.fromCodePoint(codePoint)}a${String.fromCodePoint(codePoint)}`;
      if (textWidth(text) !== byGraphemes(text)) wrong.push(codePoint.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('is as wide as its graphemes if others join in, and is cut between them', () => {
    const sign = fc.constantFrom(
      'a',
      'é',
      '…',
      '─',
      '✓',
      '。',
      '事',
      'は',
      '한',
      '🚀',
      '👩',
      '\u0301',
      '\ufe0f',
      '\u200d',
      '\u{1f3fb}',
      '\u1161',
      '1',
      '\u20e3',
      '🇩',
      '🇪',
    );
    fc.assert(
      fc.property(fc.array(sign), fc.nat({ max: 20 }), (signs, columns) => {
        const text = signs.join('');
        expect(textWidth(text)).toBe(byGraphemes(text));
        const fitting = fitWidth(text, columns);
        if (byGraphemes(text) <= columns) expect(fitting).toBe(text);
        else {
          const graphemes = Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
          while (graphemes.length > 0 && byGraphemes(graphemes.join('')) > columns - 1) graphemes.pop();
          if (columns > 0) expect(fitting.replace(/…$/, '')).toBe(graphemes.join(''));
          else expect(fitting).toBe('');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('fitWidth', () => {
  it('removes a wide character as a whole', () => {
    expect(fitWidth('日本語', 4)).toBe('日…');
    expect(fitWidth('日本語日本', 5)).toBe('日本…');
  });

  it('leaves room for the ellipsis, and shows nothing if there is no room', () => {
    expect(fitWidth('plain', 5)).toBe('plain');
    expect(fitWidth('plainer', 5)).toBe('plai…');
    expect(fitWidth('x', 0)).toBe('');
  });

  it('never exceeds the columns, and does not change a text that fits', () => {
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

describe('the end of a text that is too wide', () => {
  it('keeps whole characters', () => {
    expect(fitEnd('lib/some/file.ts', 10)).toBe('…e/file.ts');
    expect(fitEnd('日本語', 5)).toBe('…本語');
    expect(fitEnd('日本語', 4)).toBe('…語');
    expect(fitEnd('short', 5)).toBe('short');
    expect(fitEnd('short', 0)).toBe('');
  });

  it('fits, and is the end of the text', () => {
    const unit = fc.constantFrom('a', 'é', '日', '👩‍👩‍👧', '🚀');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), fc.integer({ min: 1, max: 60 }), (text, columns) => {
        const end = fitEnd(text, columns);
        expect(textWidth(end)).toBeLessThanOrEqual(columns);
        expect(text.endsWith(end.replace('…', ''))).toBe(true);
      }),
    );
  });
});
