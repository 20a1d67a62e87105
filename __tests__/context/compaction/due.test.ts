import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { automaticStrategy, DEFAULT_COMPACTION, dueAtTokens, isDue } from '../../../lib/context/compaction/due.ts';
import { STRATEGIES } from '../../../lib/context/compaction/strategy.ts';

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];
const pageOf = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

it('a compaction is due above the threshold or the reserve, by the reported or the counted tokens', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 10_000 }),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.9, noNaN: true }),
      (window, threshold, reserved) => {
        const settings = { ...DEFAULT_COMPACTION, threshold };
        const reserve = Math.floor(window * reserved);
        const [share, room] = [Math.floor(window * threshold), window - reserve];
        expect(dueAtTokens(settings, { contextWindow: window, reserveTokens: reserve })).toBe(Math.min(share, room));
        // At both limits, and one next to them.
        const counts = [0, share, room].flatMap((limit) => [limit - 1, limit, limit + 1]);
        for (const usedTokens of counts) {
          for (const viewTokens of counts) {
            const use = { contextWindow: window, reserveTokens: reserve, usedTokens, viewTokens };
            const isOver = usedTokens > share || usedTokens > room || viewTokens > room;
            expect(isDue(settings, { failures: 0 }, use)).toBe(isOver);
            expect(isDue({ ...settings, enabled: false }, { failures: 0 }, use)).toBe(false);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

it('after the number of failures in docs/compaction.md only truncate runs automatically', () => {
  const said = /After (\w+) failures in a row only `truncate`/.exec(pageOf('compaction.md'))![1]!;
  for (const strategy of Object.keys(STRATEGIES) as (keyof typeof STRATEGIES)[]) {
    for (const failures of NUMBERS.keys()) {
      const expected = failures < NUMBERS.indexOf(said) ? strategy : 'truncate';
      const settings = { ...DEFAULT_COMPACTION, strategy };
      expect([strategy, failures, automaticStrategy(settings, { failures })]).toEqual([strategy, failures, expected]);
    }
  }
});
