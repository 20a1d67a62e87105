import fc from 'fast-check';
import { sanitize, sanitizeLine } from '../../lib/display/sanitize.ts';
import { anyCharacter } from '../support/any-character.ts';

const ESCAPE = '\x1b';
const hostile = fc.oneof(
  fc.constantFrom(
    `${ESCAPE}[2J`,
    `${ESCAPE}]52;c;aGk=\x07`,
    `${ESCAPE}]8;;http://evil${ESCAPE}\\`,
    `${ESCAPE}]0;title`,
    `${ESCAPE}[`,
    ESCAPE,
    '\x9b31m',
    '\x9d52;c;x\x9c',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
    '\u{e0041}',
    '\r',
    '\u2028',
    '\ud800',
    '\u200d',
  ),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);

describe('sanitized text', () => {
  it.each([
    ['colours', `${ESCAPE}[31mred${ESCAPE}[0m`, 'red'],
    ['a cursor movement', `safe${ESCAPE}[1A${ESCAPE}[2Kforged`, 'safeforged'],
    ['the clipboard', `a${ESCAPE}]52;c;cm0gLXJm\x07b`, 'ab'],
    ['a link, keeping its text', `${ESCAPE}]8;;https://evil.example${ESCAPE}\\click${ESCAPE}]8;;${ESCAPE}\\`, 'click'],
    ['a title', `${ESCAPE}]0;owned\x07ok`, 'ok'],
    ['a device control string', `${ESCAPE}P$q"p${ESCAPE}\\ok`, 'ok'],
    ['eight-bit controls', '\x9b31mred\x9d52;c;x\x9cend', 'redend'],
    ['a bidirectional override', 'user\u202enimda\u202c', 'usernimda'],
    ['isolates', 'a\u2066b\u2069c', 'abc'],
    ['zero-width characters', 'pass\u200bword\u2060\ufeff', 'password'],
    ['tag characters', 'hi\u{e0068}\u{e0069}', 'hi'],
    ['the bell and backspace', 'a\x07b\x08c', 'abc'],
  ])('has no %s', (_, text, shown) => {
    expect(sanitize(text)).toBe(shown);
  });

  it('has LF for every kind of line end, so that no line can be overwritten', () => {
    expect(sanitize('one\rtwo\r\nthree\u2028four\x85five')).toBe('one\ntwo\nthree\nfour\nfive');
  });

  it('keeps text of any script, emoji of several parts and tabs', () => {
    const text = 'naïve\tZażółć 日本語 עברית हिन्दी 👩‍👩‍👧 🇩🇪 ❤️ 1️⃣ e\u0301';
    expect(sanitize(text)).toBe(text);
  });

  it('keeps a joiner only inside an emoji', () => {
    expect(sanitize('a\u200db👨\u200d')).toBe('ab👨');
  });

  it('has no unterminated sequence', () => {
    expect(sanitize(`${ESCAPE}]52;c;abc`)).not.toContain(ESCAPE);
  });

  it('has nothing that a terminal would act on or hide, for any input', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 30 }), (pieces) => {
        const shown = sanitize(pieces.join(''));
        expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\u2028\u2029\ufeff]/);
        expect(shown.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is unchanged by a second sanitizing', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 30 }), (pieces) => {
        const shown = sanitize(pieces.join(''));
        expect(sanitize(shown)).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });

  it('has no sequence that a removal joined together', () => {
    expect(sanitize(`${ESCAPE}${ESCAPE}[31m[2J`)).not.toContain(ESCAPE);
  });

  it('takes time in proportion to the length of unterminated sequences', () => {
    const short = `${ESCAPE}]${'\x90'.repeat(10)}`.repeat(10_000);
    expect(sanitize(short)).not.toContain(ESCAPE);
  });
});

describe('sanitizeLine', () => {
  it('is one line from sanitizeLine', () => {
    expect(sanitizeLine(' a\r\n b\t\tc ')).toBe('a b c');
  });
});
