import { measure, quantile } from '../../bench/measure.ts';

describe('a contest', () => {
  it('is decided by the median of the ratios, pair by pair', async () => {
    const subjects = [0, 10, 30, 20];
    const references = [0, 10, 10, 10];
    const [figure] = await measure(
      {
        what: 'work',
        unit: 'ms',
        subject: () => subjects.shift()!,
        against: [{ name: 'floor', run: () => references.shift()!, goal: { atMost: 3 } }],
      },
      3,
    );
    expect(figure).toMatchObject({ subject: 20, reference: 10, ratio: 2, quartiles: [1.5, 2.5], goal: { atMost: 3 } });
  });

  it('runs both sides in an order that turns round', async () => {
    const order: string[] = [];
    const side = (name: string) => () => order.push(name);
    await measure({ what: 'work', unit: 'ms', subject: side('a'), against: [{ name: 'b', run: side('b') }] }, 2);
    expect(order.join('')).toBe('ababba');
  });
});

it('a quantile lies between its neighbours', () => {
  expect([quantile([4, 1, 3, 2]), quantile([1, 2, 3], 0.25), quantile([7])]).toEqual([2.5, 1.5, 7]);
});
