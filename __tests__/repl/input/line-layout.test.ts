import fc from 'fast-check';
import { sanitize } from '../../../lib/display/sanitize.ts';
import { textWidth } from '../../../lib/display/width.ts';
import { indexAt, layOut, placeIn, topFor, visibleRows } from '../../../lib/repl/input/line-layout.ts';
import { anyCharacter } from '../../support/any-character.ts';

const telling = fc.constantFrom(
  'a',
  ' ',
  '\n',
  '\t',
  'é',
  'e\u0301',
  '漢',
  '😀',
  '👨‍👩‍👧',
  '🇩🇪',
  'ש',
  'ع',
  '\u202e',
  '\x1b',
  '\r',
);
const text = fc.string({ unit: fc.oneof(telling, anyCharacter), maxLength: 120 });
const room = fc.record({ first: fc.integer({ min: 4, max: 160 }), others: fc.integer({ min: 4, max: 160 }) });
const places = (whole: string) => [
  ...Array.from(new Intl.Segmenter().segment(whole), ({ index }) => index),
  whole.length,
];

describe('a text in rows', () => {
  it('shows every character once, at any width', () => {
    fc.assert(
      fc.property(text, room, (whole, size) => {
        const rows = layOut(whole, size);
        const joined = rows.map(
          ({ start, end, isFirst }, at) => `${isFirst && at > 0 ? '\n' : ''}${whole.slice(start, end)}`,
        );
        expect(joined.join('')).toBe(whole);
        expect(rows.filter(({ isFirst }) => isFirst)).toHaveLength(whole.split('\n').length);
      }),
      { numRuns: 300 },
    );
  });

  it('has no row wider than its room, and no character that moves the cursor or is hidden', () => {
    fc.assert(
      fc.property(text, room, (whole, size) => {
        for (const [at, { shown, width }] of layOut(whole, size).entries()) {
          expect(width).toBeLessThanOrEqual(at === 0 ? size.first : size.others);
          expect(shown).not.toMatch(/[\x00-\x1f\x7f]/);
          expect(sanitize(shown)).toBe(shown);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('shows printable text unchanged, in its own columns', () => {
    const plain = fc.string({ unit: telling.filter((each) => !/[\n\r\t\u202e\x1b]/.test(each)), maxLength: 80 });
    fc.assert(
      fc.property(plain, room, (whole, size) => {
        const rows = layOut(whole, size);
        expect(rows.map(({ shown }) => shown).join('')).toBe(whole);
        for (const { shown, width } of rows) expect(textWidth(shown)).toBe(width);
      }),
      { numRuns: 300 },
    );
  });

  it('maps each cursor place to one column, and that column back to the same place', () => {
    fc.assert(
      fc.property(text, room, (whole, size) => {
        const rows = layOut(whole, size);
        for (const cursor of places(whole)) {
          const { row, column } = placeIn(rows, { text: whole, cursor });
          const found = indexAt(whole, rows, row, column);
          expect(placeIn(rows, { text: whole, cursor: found })).toEqual({ row, column });
          expect(column).toBeLessThanOrEqual(rows[row]!.width);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('shows the rows around the cursor if not all fit, with a sign at each end that continues', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(),
        fc.nat(40),
        fc.integer({ min: 1, max: 20 }),
        (lines, at, before, most) => {
          const rows = layOut(Array.from({ length: lines }, (_, index) => `${index}`).join('\n'), {
            first: 9,
            others: 9,
          });
          const count = Math.min(most, lines);
          const row = at % lines;
          const top = topFor(row, lines, count, before);
          const visible = visibleRows(rows, top, count);
          expect(visible.map(({ shown }) => shown)).toContain(`${row}`);
          expect(visible).toHaveLength(count);
          expect(visible[0]!.sign === '↑ ').toBe(top > 0);
          if (count > 1) expect(visible.at(-1)!.sign === '↓ ').toBe(top + count < lines);
        },
      ),
    );
  });
});
