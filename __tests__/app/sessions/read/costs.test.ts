import fc from 'fast-check';
import { costsOf } from '../../../../lib/app/sessions/read/costs.ts';
import type { SessionFigures } from '../../../../lib/catalog/session-figures.ts';

const count = fc.nat({ max: 1_000_000 });
const figures: fc.Arbitrary<readonly SessionFigures[]> = fc.array(
  fc.record({
    agent: fc.constantFrom('ollm', 'claude'),
    id: fc.uuid(),
    title: fc.constant(null),
    project: fc.constant(null),
    model: fc.constantFrom(null, 'small', 'large'),
    lastActivity: fc.option(fc.nat({ max: 2_000_000_000_000 })),
    tokens: fc.option(count),
    cost: fc.option(count),
    shape: fc.constant(null),
  }),
  { maxLength: 12 },
);

it('the cost of a session has a figure where one is known and never a 0 in its place, and sums say what they lack', () => {
  fc.assert(
    fc.property(figures, (all) => {
      const { sessions, total, byDay, byModel } = costsOf(all, 0);
      expect(sessions.map(({ tokens, cost }) => [tokens ?? null, cost ?? null])).toEqual(
        all.map(({ tokens, cost }) => [tokens, cost]),
      );
      for (const sums of [[total], byDay, byModel]) {
        const sum = (name: 'sessions' | 'tokens' | 'cost' | 'withoutPrice') =>
          sums.reduce((before, each) => before + each[name], 0);
        expect(sum('sessions')).toBe(all.length);
        expect(sum('withoutPrice')).toBe(all.filter(({ cost }) => cost === null).length);
        expect(sum('tokens')).toBe(all.reduce((before, { tokens }) => before + (tokens ?? 0), 0));
        expect(sum('cost')).toBe(all.reduce((before, { cost }) => before + (cost ?? 0), 0));
      }
    }),
    { numRuns: 200 },
  );
});
