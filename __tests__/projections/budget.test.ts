import { type BudgetState, budgetFold } from '../../lib/projections/budget.ts';
import { budgetReport, usedTokens } from '../../lib/projections/budget-report.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { tokenFactor } from '../../lib/projections/token-factors.ts';
import { event, stored } from '../support/event-list.ts';

function budgetOf(...events: Parameters<typeof stored>[0]): BudgetState {
  const replayer = createReplayer({ budget: budgetFold });
  for (const one of stored([event.created({ contextWindow: 1000 }), ...events])) replayer.see(one);
  return replayer.states.budget;
}

describe('the contents of the window', () => {
  it('are estimated from their parts until the provider reports', () => {
    expect(usedTokens(budgetOf(event.said('user', '12345')))).toEqual({ count: 5, method: 'estimated' });
  });

  it('are the reported tokens, with cached tokens as part of the input', () => {
    const budget = budgetOf(
      event.said('user', 'hi'),
      event.said('assistant', 'hello'),
      event.used(400, 20, { cachedTokens: 300 }),
    );
    expect(usedTokens(budget)).toEqual({ count: 420, method: 'reported' });
  });

  it('grow with the messages after the report', () => {
    const budget = budgetOf(
      event.said('user', 'hi'),
      event.said('assistant', 'hello'),
      event.used(400, 20),
      event.said('user', '12345'),
    );
    expect(usedTokens(budget)).toEqual({ count: 425, method: 'estimated' });
  });

  it('do not count an answer twice that is stored after its own report', () => {
    const before = budgetOf(
      event.said('user', 'hi'),
      event.said('assistant', 'hello'),
      event.asked('c'),
      event.used(400, 20),
    );
    const behind = budgetOf(
      event.said('user', 'hi'),
      event.used(400, 20),
      event.said('assistant', 'hello'),
      event.asked('c'),
    );
    expect(usedTokens(before)).toEqual(usedTokens(behind));
    const next = budgetOf(
      event.said('user', 'hi'),
      event.used(400, 20),
      event.said('assistant', 'hello'),
      event.said('user', '123'),
    );
    expect(usedTokens(next).count).toBe(423);
  });

  it.each([
    ['a compaction', event.compacted(0, 2, 'short')],
    ['an undo', event.moved(1)],
    ['a different model', { type: 'model.changed', data: { provider: 'p', model: 'other' } } as const],
  ])('are an estimate again after %s', (_, change) => {
    const budget = budgetOf(event.said('user', 'hi'), event.said('assistant', 'hello'), event.used(400, 20), change);
    expect(usedTokens(budget).method).toBe('estimated');
    expect(usedTokens(budget).count).toBeLessThan(20);
  });

  it('shrink with a compaction and grow again with its undo', () => {
    const long = [event.said('user', 'x'.repeat(500)), event.said('assistant', 'y')];
    const compacted = budgetOf(...long, event.compacted(0, 1, 'an x'));
    expect(compacted.parts.history.count).toBeLessThan(10);
    expect(budgetOf(...long, event.compacted(0, 1, 'an x'), event.uncompacted(3)).parts.history.count).toBe(501);
  });
});

describe('parts', () => {
  it('have their tokens, and the source of each number', () => {
    const budget = budgetOf(
      event.said('system', 'be brief'),
      event.context('k', 'note', { tokens: { count: 4, method: 'estimated' } }),
      event.said('user', 'hi', { tokens: { count: 2, method: 'counted' } }),
      event.found('text'),
    );
    expect(budget.parts).toEqual({
      system: { count: 8, method: 'counted' },
      context: { count: 4, method: 'estimated' },
      history: { count: 2, method: 'counted' },
      tools: { count: 0, method: 'reported' },
      retrieval: { count: 4, method: 'estimated' },
    });
  });

  it('include an estimate of a message that was not counted', () => {
    const budget = budgetOf(event.said('user', 'some words here', { tokens: { count: 0, method: 'unknown' } }));
    expect(budget.parts.history).toEqual({ count: 4, method: 'estimated' });
  });

  it('grow by the whole of a changed context entry, because the old one stays where it was sent', () => {
    const begun = [event.context('k', 'x'.repeat(40)), event.said('user', 'hi'), event.used(100, 1)];
    const changed = budgetOf(...begun, event.context('k', 'y'.repeat(30)));
    expect(changed.parts.context.count).toBe(30);
    expect(changed.reported?.addedSince).toBe(30);
  });

  it('lose a context entry that expired', () => {
    const expiring = event.context('k', 'note', { expiresAt: '2026-01-01T00:00:02.000Z' });
    expect(budgetOf(expiring).parts.context.count).toBe(4);
    expect(budgetOf(expiring, event.used(1, 1)).parts.context.count).toBe(0);
  });
});

describe('the spent tokens', () => {
  it('add up all reports, and say how many had no price', () => {
    const { spent } = budgetOf(
      event.used(10, 1, { totalCost: 0.25, cachedTokens: 5 }),
      event.used(20, 2),
      event.moved(0),
    );
    expect(spent).toEqual({
      calls: 2,
      inputTokens: 30,
      outputTokens: 3,
      cachedTokens: 5,
      totalCost: 0.25,
      callsWithoutCost: 1,
    });
  });
});

describe('the report of the budget', () => {
  it('has limit, reserve, rest and share', () => {
    const report = budgetReport(budgetOf(event.used(400, 20)), { reserveTokens: 100 });
    expect(report).toMatchObject({
      used: { count: 420 },
      limit: 1000,
      reserveTokens: 100,
      available: 480,
      percent: 42,
    });
  });

  it('has no share if the window is not known', () => {
    const budget = budgetOf({ type: 'model.changed', data: { provider: 'p', model: 'm' } });
    expect(budgetReport(budget, { reserveTokens: 0 })).toMatchObject({
      limit: undefined,
      available: undefined,
      percent: undefined,
    });
  });
});

describe('the reports of providers', () => {
  const report = (inputTokens: number, estimatedTokens: number, more = {}) =>
    event.used(inputTokens, 0, { estimatedTokens, ...more });

  it('correct later counts, only for their model', () => {
    const budget = budgetOf(event.said('user', 'x'.repeat(100)), report(150, 100), event.said('user', 'y'.repeat(100)));
    expect(tokenFactor(budget)).toBe(1.5);
    expect(usedTokens(budget)).toEqual({ count: 150 + 150, method: 'estimated' });
    expect(tokenFactor(budget, { provider: 'p', model: 'other' })).toBe(1);
    const switched = budgetOf(
      event.said('user', 'x'.repeat(100)),
      report(150, 100),
      { type: 'model.changed', data: { provider: 'p', model: 'other' } },
      { type: 'model.changed', data: { provider: 'p', model: 'm' } },
    );
    expect(usedTokens(switched).count).toBe(150);
  });

  it('follows slowly', () => {
    expect(tokenFactor(budgetOf(report(200, 100), report(100, 100)))).toBe(1.5);
  });

  it.each([
    ['is far too low, as of a server that leaves out cached tokens', report(20, 1000)],
    ['is far too high', report(90_000, 1000)],
    ['is of a request that is mostly form', report(60, 30)],
    ['is an estimate itself', report(150, 100, { source: 'estimate' })],
    ['comes without counted tokens', event.used(150, 0)],
  ])('correct nothing if one %s', (_, usage) => {
    expect(tokenFactor(budgetOf(usage))).toBe(1);
  });

  it('are remembered for a limited number of models, with any names', () => {
    const names = ['__proto__', 'constructor', ...Array.from({ length: 30 }, (_, index) => `${index}`)];
    const budget = budgetOf(...names.map((model) => report(150, 100, { model })));
    expect(Object.keys(budget.factors)).toHaveLength(16);
    expect(tokenFactor(budget, { provider: 'p', model: '29' })).toBe(1.5);
    expect(tokenFactor(budget, { provider: 'p', model: 'toString' })).toBe(1);
  });
});

describe('a compaction by the provider', () => {
  const sealed = { provider: 'p', model: 'm', content: 'sealed', tokens: 7 };
  const events = [
    event.said('user', 'x'.repeat(500)),
    {
      type: 'compaction.completed',
      data: {
        strategy: 'provider',
        covers: { from: 1, to: 1 },
        keptFrom: 2,
        summary: 'word '.repeat(100),
        opaque: sealed,
        tokensBefore: 500,
        tokensAfter: 7,
        by: 'auto',
      },
    } as const,
  ];

  it('counts as the items that its model is sent, and as the summary for every other', () => {
    expect(usedTokens(budgetOf(...events)).count).toBe(7);
    const other = budgetOf(...events, { type: 'model.changed', data: { provider: 'p', model: 'other' } });
    expect(usedTokens(other).count).toBeGreaterThan(50);
  });
});

it('only the report on an answer sets the contents of the window, and each report is spent', () => {
  for (const purpose of [undefined, 'answer', 'summary'] as const) {
    const fold = createReplayer({ budget: budgetFold });
    const more = purpose === undefined ? {} : { purpose };
    for (const one of stored([event.created(), event.said('user', 'hi'), event.used(500, 7), event.used(90, 5, more)]))
      fold.see(one);
    const { reported, spent } = fold.states.budget;
    expect([purpose, reported?.tokens]).toEqual([purpose, purpose === 'summary' ? 507 : 95]);
    expect([spent.calls, spent.inputTokens, spent.outputTokens]).toEqual([2, 590, 12]);
  }
});
