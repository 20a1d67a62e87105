import { limitOf, measure, median, meets, quantile } from '../../bench/measure.ts';

describe('a quantile', () => {
  it('is a value of the list where it falls on one, in whatever order they come', () => {
    expect([0, 0.25, 0.5, 0.75, 1].map((share) => quantile([5, 1, 4, 2, 3], share))).toEqual([1, 2, 3, 4, 5]);
  });

  it('lies between its neighbours in proportion where it does not', () => {
    expect(quantile([10, 20], 0.25)).toBe(12.5);
    expect(median([1, 2, 3, 10])).toBe(2.5);
  });

  it('of one value is that value', () => {
    expect(quantile([7], 0.75)).toBe(7);
  });

  it('leaves the list in its order', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('a goal', () => {
  it('is met at its own value, from either side', () => {
    expect([meets(0.7, { atLeast: 0.7 }), meets(0.69, { atLeast: 0.7 })]).toEqual([true, false]);
    expect([meets(1.2, { atMost: 1.2 }), meets(1.21, { atMost: 1.2 })]).toEqual([true, false]);
  });
});

describe('a contest', () => {
  it('compares round by round, and says the median of the ratios with their quartiles', async () => {
    const [subject, other] = [values(9, 1, 2, 30, 4, 5), values(9, 1, 1, 10, 1, 1)];
    const against = [{ name: 'the other', goal: { atMost: 3 }, run: other }];
    const [figure] = await measure({ what: 'work', unit: 'ms', subject, against }, 5);
    expect(figure).toMatchObject({ ratio: 3, quartiles: [2, 4], subject: 4, reference: 1, met: true });
  });

  it('against a limit has been met where the limit is not passed', async () => {
    const contest = { what: 'work', unit: 'ms', subject: () => 30, against: [limitOf(20, 'the limit')] };
    expect(await measure(contest, 3)).toMatchObject([{ against: 'the limit', reference: 20, ratio: 1.5, met: false }]);
  });
});

/** One after the other; the first is for warming up. */
function values(...numbers: readonly number[]): () => number {
  let taken = 0;
  return () => numbers[taken++]!;
}
