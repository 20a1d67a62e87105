import fc from 'fast-check';
import type { CostOfAll } from '../../../lib/page/api/types.ts';
import { costDays, OTHERS } from '../../../lib/page/model/cost-days.ts';

const NOW = new Date(2026, 2, 31, 12);
const session = (lastActivity: Date, model: string | undefined, cost: number | undefined) => ({
  address: 'oak',
  agent: 'ollm',
  tokens: 10,
  lastActivity: lastActivity.toISOString(),
  ...(model === undefined ? {} : { model }),
  ...(cost === undefined ? {} : { cost }),
});

function all(sessions: CostOfAll['sessions'], since: Date): CostOfAll {
  const byModel = [...Map.groupBy(sessions, ({ model }) => model ?? 'unknown')].map(([model, some]) => ({
    model,
    sessions: some.length,
    tokens: 10 * some.length,
    cost: some.reduce((sum, { cost = 0 }) => sum + cost, 0),
    withoutPrice: some.filter(({ cost }) => cost === undefined).length,
  }));
  const total = { sessions: sessions.length, tokens: 0, cost: 0, withoutPrice: 0 };
  return { since: since.toISOString(), sessions, byModel, byDay: [], total };
}

describe('the costs of days', () => {
  it('has each day of the reader’s calendar, also where a clock was put forward', () => {
    const { days } = costDays(all([], new Date(2026, 1, 26, 23, 59)), NOW);
    expect(days).toHaveLength(34);
    expect(days.every(({ start }) => start.getHours() === 0)).toBe(true);
    expect(days.at(-1)!.start.getDate()).toBe(31);
  });

  it('counts a session on the day of the reader', () => {
    const { days } = costDays(
      all([session(new Date(2026, 2, 30, 23, 59), 'a', 1), session(new Date(2026, 2, 31, 0, 0), 'a', 2)], NOW),
      NOW,
    );
    expect(days.map(({ cost }) => cost)).toEqual([2]);
  });

  it('gives the four dearest models a series each, and the others one together', () => {
    const some = ['a', 'b', 'c', 'd', 'e', 'f'].map((model, at) => session(NOW, model, at + 1));
    const { series, days } = costDays(all(some, NOW), NOW);
    expect(series).toEqual(['f', 'e', 'd', 'c', OTHERS]);
    expect(days[0]!.costs).toEqual([6, 5, 4, 3, 3]);
  });

  it('counts what has no price, and adds nothing for it', () => {
    const { series, days } = costDays(all([session(NOW, 'a', undefined), session(NOW, undefined, 3)], NOW), NOW);
    expect(series).toEqual(['unknown']);
    expect(days[0]).toMatchObject({ cost: 3, sessions: 2, withoutPrice: 1, tokens: 20 });
  });

  it('loses no dollar and no session between the days and the models', () => {
    const one = fc.record({
      ago: fc.integer({ min: 0, max: 40 * 86_400_000 }),
      model: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'others', 'unknown'), { nil: undefined }),
      cost: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(one), (some) => {
        const sessions = some.map(({ ago, model, cost }) => session(new Date(NOW.getTime() - ago), model, cost));
        const { days } = costDays(all(sessions, new Date(NOW.getTime() - 40 * 86_400_000)), NOW);
        const dollars = sessions.reduce((sum, { cost = 0 }) => sum + cost, 0);
        expect(days.reduce((sum, { cost }) => sum + cost, 0)).toBe(dollars);
        expect(days.flatMap(({ costs }) => costs).reduce((sum, cost) => sum + cost, 0)).toBe(dollars);
        expect(days.reduce((sum, each) => sum + each.sessions, 0)).toBe(sessions.length);
      }),
    );
  });
});
