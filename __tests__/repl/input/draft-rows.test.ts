import fc from 'fast-check';
import { createPaint } from '../../../lib/display/paint.ts';
import { draftRows } from '../../../lib/repl/input/draft-rows.ts';
import { BottomRegion } from '../../../lib/repl/render/bottom-region.ts';
import { createVirtualScreen } from '../../support/virtual-screen.ts';

const word = fc.constantFrom('a', 'some words ', '漢字', 'e\u0301', '\n', 'ש');
const text = fc.array(word, { maxLength: 20 }).map((words) => words.join(''));

function drawn(draft: string, cursor: number, columns = 30) {
  const screen = createVirtualScreen(columns, 20);
  const region = new BottomRegion(screen, createPaint(false));
  const draw = (each: string, at: number, settled: readonly string[] = []) => {
    const { lines, column, rowsBelow } = draftRows({ text: each, cursor: at, isOpen: false }, columns - 1);
    const above = settled.map((line) => [{ text: line, styles: [] }]);
    region.draw([[{ text: 'busy', styles: [] }], ...lines], above, column, rowsBelow);
  };
  draw(draft, cursor);
  return { screen, region, draw };
}

describe('the draft typed while a turn runs', () => {
  it('has a row for each line, with the cursor in its place', () => {
    const { screen } = drawn('one\ntwo\nthree', 5);
    expect(screen.lines()).toEqual(['busy', '› one', '… two', '… three']);
    expect(screen.beforeCursor()).toBe('… t');
  });

  it('shows five rows around the cursor', () => {
    const lines = Array.from({ length: 9 }, (_, index) => `row ${index}`).join('\n');
    expect(drawn(lines, 0).screen.lines()).toEqual(['busy', '› row 0', '… row 1', '… row 2', '… row 3', '↓ row 4']);
    expect(drawn(lines, lines.length).screen.lines().at(-1)).toBe('… row 8');
  });

  it('is redrawn below text that is printed meanwhile, and leaves nothing on the screen', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat(100)), { minLength: 1, maxLength: 6 }), (drafts) => {
        const { screen, draw, region } = drawn('', 0);
        for (const [index, [each, at]] of drafts.entries()) draw(each, Math.min(at, each.length), [`said ${index}`]);
        const [last, at] = drafts.at(-1)!;
        const anew = drawn(last, Math.min(at, last.length)).screen;
        expect(screen.lines()).toEqual([...drafts.map((_, index) => `said ${index}`), ...anew.lines()]);
        expect(screen.cursorColumn()).toBe(anew.cursorColumn());
        expect(screen.beforeCursor()).toBe(anew.beforeCursor());
        region.clear();
        expect(screen.lines().join('')).toBe(drafts.map((_, index) => `said ${index}`).join(''));
      }),
      { numRuns: 200 },
    );
  });
});
