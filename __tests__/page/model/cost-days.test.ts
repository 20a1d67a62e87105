import fc from 'fast-check';
import type { StatsOfAll } from '../../../lib/page/api/types.ts';
import { costDays, OTHERS } from '../../../lib/page/model/cost-days.ts';

type Row = StatsOfAll['rows'][number];

const NOW = new Date(2026, 2, 31, 12);
const NOTHING = { sessions: 1, turns: 1, failedTurns: 0, requests: 1, withoutPrice: 0, calls: 0, failedCalls: 0 };
const dateOf = (day: Date) => new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
const row = (day: Date, model: string | undefined, cost: number | undefined): Row => ({
  ...NOTHING,
  day: dateOf(day),
  inputTokens: 7,
  outputTokens: 3,
  withoutPrice: cost === undefined ? 1 : 0,
  ...(model === undefined ? {} : { model }),
  ...(cost === undefined ? {} : { cost }),
});

function all(rows: readonly Row[], since: Date): StatsOfAll {
  const costs = rows.flatMap(({ cost }) => cost ?? []);
  const cost = costs.length === 0 ? {} : { cost: costs.reduce((sum, each) => sum + each, 0) };
  return { since: since.toISOString(), by: ['day', 'model'], rows, total: { ...NOTHING, ...cost }, leftOut: [] };
}

describe('the costs by day', () => {
  it('have each day of the reader’s calendar, also when clocks change', () => {
    const { days } = costDays(all([], new Date(2026, 1, 26, 23, 59)), NOW);
    expect(days).toHaveLength(34);
    expect(days.every(({ start }) => start.getHours() === 0)).toBe(true);
    expect(days.at(-1)!.start.getDate()).toBe(31);
  });

  it('have a series for each of the four dearest models, and one for the others together', () => {
    const some = ['a', 'b', 'c', 'd', 'e', 'f'].map((model, at) => row(NOW, model, at + 1));
    const { series, days } = costDays(all(some, NOW), NOW);
    expect(series).toEqual(['f', 'e', 'd', 'c', OTHERS]);
    expect(days[0]!.values).toEqual([6, 5, 4, 3, 3]);
  });

  it('count requests without a price, and add nothing for them', () => {
    const { measure, series, days } = costDays(all([row(NOW, 'a', undefined), row(NOW, undefined, 3)], NOW), NOW);
    expect([measure, series]).toEqual(['cost', ['unknown']]);
    expect(days[0]).toMatchObject({ cost: 3, turns: 2, withoutPrice: 1, tokens: 20 });
  });

  it('show tokens if no price is known', () => {
    const { measure, series, days } = costDays(all([row(NOW, 'a', undefined), row(NOW, 'b', undefined)], NOW), NOW);
    expect([measure, series]).toEqual(['tokens', ['a', 'b']]);
    expect(days[0]).toMatchObject({ cost: undefined, values: [10, 10], value: 20 });
  });

  it('lose no dollar and no turn between the days and the models', () => {
    const one = fc.record({
      ago: fc.integer({ min: 0, max: 40 }),
      model: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'others', 'unknown'), { nil: undefined }),
      cost: fc.integer({ min: 0, max: 1000 }),
    });
    fc.assert(
      fc.property(fc.array(one), (some) => {
        const rows = some.map(({ ago, model, cost }) => row(new Date(2026, 2, 31 - ago, 12), model, cost));
        const { days } = costDays(all(rows, new Date(2026, 2, 31 - 40, 12)), NOW);
        const dollars = rows.reduce((sum, { cost = 0 }) => sum + cost, 0);
        if (rows.length === 0) return;
        expect(days.reduce((sum, { cost = 0 }) => sum + cost, 0)).toBe(dollars);
        expect(days.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0)).toBe(dollars);
        expect(days.reduce((sum, { turns }) => sum + turns, 0)).toBe(rows.length);
      }),
    );
  });
});
