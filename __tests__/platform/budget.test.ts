import fc from 'fast-check';
import { Budget } from '../../lib/platform/budget.ts';

const NEVER = new AbortController().signal;

describe('a budget', () => {
  it('is never exceeded, and all work is done', async () => {
    const pieces = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 10 }), ticks: fc.nat({ max: 5 }) }));
    await fc.assert(
      fc.asyncProperty(pieces, async (works) => {
        const budget = new Budget(10);
        let held = 0;
        const done = await Promise.all(
          works.map(({ bytes, ticks }) =>
            budget.use(
              bytes,
              async () => {
                held += bytes;
                expect(held).toBeLessThanOrEqual(10);
                for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
                held -= bytes;
                return bytes;
              },
              NEVER,
            ),
          ),
        );
        expect(done).toEqual(works.map(({ bytes }) => bytes));
      }),
    );
  });

  it('lets small work overtake large work that waits, and is whole again after a failure', async () => {
    const budget = new Budget(10);
    const gate = Promise.withResolvers<never>();
    const slow = budget.use(8, () => gate.promise, NEVER);
    const order: string[] = [];
    const large = budget.use(5, async () => void order.push('large'), NEVER);
    await budget.use(2, async () => void order.push('small'), NEVER);
    gate.reject(new Error('It was cut off.'));
    await expect(slow).rejects.toThrow('cut off');
    await large;
    expect(order).toEqual(['small', 'large']);
  });

  it('is not taken by a caller that left while waiting', async () => {
    const budget = new Budget(1);
    const gate = Promise.withResolvers<void>();
    const first = budget.use(1, () => gate.promise, NEVER);
    const leaving = new AbortController();
    const second = budget.use(1, async () => 'begun', leaving.signal);
    leaving.abort();
    await expect(second).rejects.toThrow('The work was stopped.');
    gate.resolve();
    await first;
    expect(await budget.use(1, async () => 'third', NEVER)).toBe('third');
  });
});
