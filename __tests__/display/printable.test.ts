import fc from 'fast-check';
import { printable, printableJson, printableLine, printablePieces } from '../../lib/display/printable.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('printable text', () => {
  it.each([
    ['an escape sequence', 'a\x1b[31mb', 'a␛[31mb'],
    ['the bell and the deletion', 'a\x07b\x7f', 'a␇b␡'],
    ['an eight-bit control', 'a\x9bb', 'a\ufffdb'],
    ['an override of direction', 'user\u202enimda', 'user\ufffdnimda'],
    ['what has no width', 'a\u200b\u2060\u{e0041}b', 'a\ufffd\ufffd\ufffd\ufffdb'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
  ])('has a visible sign for %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('keeps tabs and line breaks, and has LF for each line break', () => {
    expect(printable('a\tb\r\nc\rd\ne')).toBe('a\tb\nc\nd\ne');
  });

  it('has no control characters, and as many characters as before', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
        expect(shown).toHaveLength(text.replaceAll('\r\n', '\n').length);
      }),
      { numRuns: 300 },
    );
  });
});

it('printable text keeps emoji that a joiner makes', () => {
  expect(printable('👩\u200d🔬 a\u200db')).toBe('👩\u200d🔬 a\ufffdb');
});

it('printablePieces join to the same text, in any chunks, and no piece is much longer than requested', () => {
  const characters = [
    'a',
    '\n',
    '\r',
    '\r\n',
    '\u200d',
    '👩',
    '👩\u200d🔬',
    '🔬',
    '\u{1f3fd}',
    '\ufe0f',
    '\ud83d',
    '\udd2c',
    '\x1b',
    '語',
  ];
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...characters) },
          { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
        ),
        { size: 'medium' },
      ),
      fc.integer({ min: 1, max: 9 }),
      (some, length) => {
        const text = some.join('');
        expect([...printablePieces(text, length)].join('')).toBe(printable(text));
      },
    ),
    { numRuns: 500 },
  );
  const lengths = [...printablePieces('ab語🔬\r\n'.repeat(10_000), 1000)].map((piece) => piece.length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(1002);
});

it('printableJson has the same value, and no character that a terminal would act on', () => {
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: anyCharacter }), (json, text) => {
      const value = { [text]: [text, JSON.parse(json)], evil: '\x9b2J\u202e\u200b\u{e0041}' };
      const shown = printableJson(JSON.stringify(value));
      expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/u);
      expect(JSON.parse(shown)).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

it('printableLine makes one line', () => {
  expect(printableLine(' a\r\n b\t\tc ')).toBe('a b c');
});
