import { measure, quantile } from '../../bench/measure.ts';

describe('a contest of two sides', () => {
  it('is decided by the median of the ratios, pair by pair', async () => {
    const subjects = [0, 10, 30, 20];
    const references = [0, 10, 10, 10];
    const [figure] = await measure({
      what: 'work',
      ollm: () => subjects.shift()!,
      against: [['floor', () => references.shift()!, 3]],
      rounds: 3,
    });
    expect(figure).toMatchObject({
      unit: 'ms',
      ollm: 20,
      reference: 10,
      ratio: 2,
      quartiles: [1.5, 2.5],
      goal: 3,
    });
  });

  it('runs both sides in an alternating order', async () => {
    const order: string[] = [];
    const side = (name: string) => () => order.push(name);
    await measure({ what: 'work', ollm: side('a'), against: [['b', side('b')]], rounds: 2 });
    expect(order.join('')).toBe('ababba');
  });

  it('with a limit is compared with it, and names a peer that is not installed', async () => {
    const against = [['peer', undefined, 1]] as const;
    expect(await measure({ what: 'work', ollm: () => 2, limit: 4, against })).toEqual([
      expect.objectContaining({ against: 'the limit of 4', ratio: 0.5, goal: 1 }),
      { what: 'work, beside peer', skipped: 'npm ci --prefix bench installs it' },
    ]);
  });
});

it('a quantile is between its neighbours', () => {
  expect([quantile([4, 1, 3, 2]), quantile([1, 2, 3], 0.25), quantile([7])]).toEqual([2.5, 1.5, 7]);
});
