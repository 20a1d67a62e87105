import fc from 'fast-check';
import { textWidth } from '../../../lib/display/width.ts';
import { draftRow, waitingRows } from '../../../lib/repl/render/draft-row.ts';

const shown = (text: string, cursor: number, columns: number) => {
  const { line, column } = draftRow({ text, cursor, isOpen: false }, columns);
  return [line.map((span) => span.text).join(''), column];
};

describe('the row of the draft', () => {
  it('shows the text with the cursor in it, and of a long text the part around the cursor', () => {
    expect(shown('go on', 2, 40)).toEqual(['› go on', 4]);
    expect(shown('one two three four', 18, 12)).toEqual(['› …ree four', 11]);
    expect(shown('one two three four', 3, 12)).toEqual(['› one two t…', 5]);
    expect(shown('日本語のテキスト', 8, 12)).toEqual(['› …テキスト', 11]);
  });

  it('fits any width, and so does its cursor', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '日', '👩‍👩‍👧', ' '), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.nat(60), fc.integer({ min: 6, max: 90 }), (typed, at, columns) => {
        const cursor = Math.min(at, typed.length);
        const [row, column] = shown(typed.slice(0, cursor) + typed.slice(cursor), cursor, columns);
        expect(textWidth(row as string)).toBeLessThanOrEqual(columns);
        expect(column).toBeLessThan(columns);
      }),
    );
  });
});

describe('the rows of queued messages', () => {
  const rows = (steering: readonly string[], queued: readonly string[]) =>
    waitingRows(steering, queued, 30).map((line) => line.map(({ text }) => text).join(''));

  it('are numbered as in /queue, after steering messages, and at most three', () => {
    expect(rows(['now'], ['one', 'two\nlines'])).toEqual(['  ↳ now', '  1 one', '  2 two lines']);
    expect(rows(['now'], ['1', '2', '3'])).toEqual(['  ↳ now', '  1 1', '  and 2 more: /queue shows th…']);
  });
});
