import fc from 'fast-check';
import { eachEscapedPiece } from '../../../lib/journal/line/escape.ts';
import { toJson } from '../../../lib/journal/line/line-buffer.ts';

/** What is taken at a time. */
const PIECE_UNITS = 16 * 1024;

function escaped(text: string): string {
  const pieces: Buffer[] = [];
  eachEscapedPiece(text, (bytes, length) => pieces.push(Buffer.from(bytes.subarray(0, length))));
  return Buffer.concat(pieces).toString('latin1');
}

/** What JSON.stringify and an encoder make of it, as Latin-1: differences in what is no UTF-8 would show too. */
function expected(text: string): string {
  return Buffer.from(toJson(text).slice(1, -1)).toString('latin1');
}

describe('text escaped to bytes', () => {
  it('is as JSON has it, for each unit that there is', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    const text = units.join(' ');
    expect(escaped(text) === expected(text)).toBe(true);
    for (const unit of units.slice(0, 0x100)) expect(escaped(unit)).toBe(expected(unit));
    for (const unit of ['\ud800', '\udbff', '\udc00', '\udfff', '\u2028', '\u2029'])
      expect(escaped(unit)).toBe(expected(unit));
  });

  it('is as JSON has it, at each place of a block and for each length', () => {
    for (const special of [
      '\n',
      '"',
      '\\',
      '\u0001',
      'é',
      '日',
      '🙂',
      '\ud83d',
      '\udc00',
      '\u2028',
      '\u00ff',
      '\u8000',
    ]) {
      for (let before = 0; before < 40; before += 1) {
        const text = `${'x'.repeat(before)}${special}${'y'.repeat(39 - before)}`;
        expect(escaped(text)).toBe(expected(text));
        expect(escaped(text.slice(0, before + special.length))).toBe(expected(text.slice(0, before + special.length)));
      }
    }
  });

  it('is as JSON has it, whatever the text is', () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom('a', ' ', '\n', '"'), fc.string({ unit: 'binary', maxLength: 1 })),
      size: 'max',
      maxLength: 300,
    });
    fc.assert(
      fc.property(texts, (text) => {
        expect(escaped(text)).toBe(expected(text));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps characters whole where one piece ends and the next begins', () => {
    for (const character of ['🙂', '日', '\ud83d', '\udc00', '\udc00\ud83d', '\n']) {
      for (let place = PIECE_UNITS - 3; place <= PIECE_UNITS + 1; place += 1) {
        const text = `${'z'.repeat(place)}${character}${'w'.repeat(PIECE_UNITS)}${character}`;
        expect(escaped(text) === expected(text)).toBe(true);
      }
    }
  });

  it('has room for the text that grows most', () => {
    for (const text of [
      '\u0001'.repeat(3 * PIECE_UNITS),
      '\ud800'.repeat(3 * PIECE_UNITS),
      '日'.repeat(3 * PIECE_UNITS),
    ])
      expect(escaped(text) === expected(text)).toBe(true);
  });

  it('is nothing for no text', () => {
    expect(escaped('')).toBe('');
  });
});
