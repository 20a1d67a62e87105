import fc from 'fast-check';
import { windowBar } from '../../../lib/repl/render/window-bar.ts';

const part = (tokens: number) => ({ name: 'part', tokens });
const draw = (tokens: readonly number[], options: Parameters<typeof windowBar>[1]) =>
  windowBar(tokens.map(part), options)
    .bar.map(({ text }) => text)
    .join('');

describe('the bar of the window', () => {
  it('gives each part its share, and marks the place of the next compaction', () => {
    expect(draw([25, 25, 0], { total: 100, due: 80, columns: 20 })).toBe('█████▓▓▓▓▓······|···');
  });

  it('shows a part that is not empty in at least one cell', () => {
    expect(draw([1, 1, 1], { total: 1_000_000, columns: 10 })).toBe('█▓▒·······');
  });

  it('has the given width, for any contents of the window', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 200_000 }), { maxLength: 5 }),
        fc.nat({ max: 200_000 }),
        fc.option(fc.nat({ max: 300_000 }), { nil: undefined }),
        fc.integer({ min: 5, max: 80 }),
        (tokens, total, due, columns) => {
          expect(draw(tokens, { total, due, columns })).toHaveLength(columns);
        },
      ),
      { numRuns: 200 },
    );
  });
});
