import fc from 'fast-check';
import type { EditedText } from '../../../lib/repl/input/buffer.ts';
import { leaveInsert, VI_START, type ViState, viKey } from '../../../lib/repl/input/vi-keys.ts';

const NORMAL: ViState = { ...VI_START, mode: 'normal' };

/** Types keys in normal mode; `|` marks the cursor before and after. */
function typed(marked: string, keys: string, start: ViState = NORMAL): string {
  let state = start;
  let line: EditedText = { text: marked.replace('|', ''), cursor: marked.indexOf('|') };
  for (const key of keys) ({ line, state } = viKey(line, state, key));
  const shown = `${line.text.slice(0, line.cursor)}|${line.text.slice(line.cursor)}`;
  return state.mode === 'insert' ? `${shown} (insert)` : shown;
}

it.each([
  ['w', 'fix |the mast', 'fix the |mast'],
  ['2w', '|fix the mast', 'fix the |mast'],
  ['b', 'fix the m|ast', 'fix the |mast'],
  ['e', '|fix the', 'fi|x the'],
  ['w', '|a.b c', 'a|.b c'],
  ['W', '|a.b c', 'a.b |c'],
  ['0', 'fix |the', '|fix the'],
  ['^', '  fix |the', '  |fix the'],
  ['$', '|fix the', 'fix th|e'],
  ['fs', '|the mast', 'the ma|st'],
  ['ts', '|the mast', 'the m|ast'],
  ['Ft', 'the ma|st', '|the mast'],
  ['x', 'ma|st', 'ma|t'],
  ['2x', '|mast', '|st'],
  ['X', 'ma|st', 'm|st'],
  ['D', 'ma|st', 'm|a'],
  ['dw', 'fix |the mast', 'fix |mast'],
  ['d2w', '|fix the mast', '|mast'],
  ['db', 'fix the |mast', 'fix |mast'],
  ['de', '|fix the', '| the'],
  ['dd', 'fix |the', '|'],
  ['dta', '|the mast', '|ast'],
  ['dfs', '|the mast', '|t'],
  ['cw', 'fix |the mast', 'fix | mast (insert)'],
  ['cc', 'fix |the', '| (insert)'],
  ['C', 'fix |the', 'fix | (insert)'],
  ['s', 'ma|st', 'ma|t (insert)'],
  ['i', 'ma|st', 'ma|st (insert)'],
  ['a', 'ma|st', 'mas|t (insert)'],
  ['I', '  ma|st', '  |mast (insert)'],
  ['A', 'm|ast', 'mast| (insert)'],
  ['rx', 'ma|st', 'ma|xt'],
  ['~', 'm|ast', 'mA|st'],
  ['yw$p', '|fix the', 'fix thefix| '],
  ['xp', '|ab', 'b|a'],
])('%s goes from “%s” to “%s”', (keys, from, to) => {
  expect(typed(from, keys)).toBe(to);
});

it.each([
  ['dd', 'one\nt|wo\nthree', 'one\n|three'],
  ['dd', 'one\nt|wo', '|one'],
  ['2dd', 'o|ne\ntwo\nthree', '|three'],
  ['ddp', '|one\ntwo', 'two\n|one'],
  ['yyP', 'one\n  t|wo', 'one\n  |two\n  two'],
  ['cc', 'one\nt|wo\nthree', 'one\n|\nthree (insert)'],
  ['dj', '|one\ntwo\nthree', '|three'],
  ['dk', 'one\nt|wo\nthree', '|three'],
  ['D', 'o|ne\ntwo', '|o\ntwo'],
  ['$', '|one\ntwo', 'on|e\ntwo'],
  ['0', 'one\ntw|o', 'one\n|two'],
  ['A', '|one\ntwo', 'one|\ntwo (insert)'],
  ['l', 'on|e\ntwo', 'on|e\ntwo'],
  ['h', 'one\n|two', 'one\n|two'],
  ['w', '|one\ntwo', 'one\n|two'],
  ['b', 'one\n|two', '|one\ntwo'],
  ['dw', '|one\ntwo', '|\ntwo'],
  ['x', 'one\n|\ntwo', 'one\n|\ntwo'],
  ['fo', '|one\ntwo', '|one\ntwo'],
  ['o', 'o|ne\ntwo', 'one\n|\ntwo (insert)'],
  ['O', 'one\nt|wo', 'one\n|\ntwo (insert)'],
  ['J', 'o|ne\n  two', 'one| two'],
  ['gg', 'one\ntw|o', '|one\ntwo'],
  ['G', '|one\ntwo\nthree', 'one\ntwo\n|three'],
  ['2G', '|one\ntwo\nthree', 'one\n|two\nthree'],
  ['dG', 'one\nt|wo\nthree', '|one'],
  ['dgg', 'one\nt|wo\nthree', '|three'],
])('in several lines %s goes from %j to %j', (keys, from, to) => {
  expect(typed(from, keys)).toBe(to);
});

it('x deletes a whole character, of any number of code points', () => {
  expect(typed('|👨‍👩‍👧 home', 'x')).toBe('| home');
  expect(typed('e\u0301|x', 'X')).toBe('|x');
});

it('an incomplete or failing command changes nothing', () => {
  for (const keys of ['fz', 'dfz', 'dz', 'z', '9rx', 'dc', '3q']) expect(typed('ma|st', keys)).toBe('ma|st');
});

it('no keys move the cursor out of the line, or into the middle of a character', () => {
  const keys = fc.string({
    unit: fc.constantFrom(...'hlwbeWBE0^$fFtTxXDCSsiaIAoOJgGdcyprR~ujk2 3a😀é'),
    maxLength: 12,
  });
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', '\n', 'é', '漢', '😀', '👨‍👩‍👧'), maxLength: 12 });
  fc.assert(
    fc.property(line, keys, (text, pressed) => {
      let state = VI_START;
      let at: EditedText = { text, cursor: text.length };
      ({ line: at, state } = leaveInsert(at, state));
      for (const key of pressed) {
        if (state.mode === 'insert') ({ line: at, state } = leaveInsert(at, state));
        ({ line: at, state } = viKey(at, state, key));
        expect(at.cursor).toBeGreaterThanOrEqual(0);
        expect(at.cursor).toBeLessThanOrEqual(at.text.length);
        expect(/[\ud800-\udbff]$/.test(at.text.slice(0, at.cursor))).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});
