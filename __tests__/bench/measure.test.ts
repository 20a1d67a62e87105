// How figures are taken: in turn, pair by pair. No clock is asked here.
import * as fc from 'fast-check';
import { limitOf, measure, median, meets, quantile } from '../../bench/measure.ts';

describe('a quantile', () => {
  it('is linear between neighbours, in whatever order they come', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([10, 0], 0.25)).toBe(2.5);
    expect([0, 1].map((share) => quantile([3, 1, 2], share))).toEqual([1, 3]);
    expect(median([7])).toBe(7);
  });

  it('has as many values below it as above', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const middle = median(values);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });
});

describe('a goal', () => {
  it('is met at its own value, from either side', () => {
    expect([meets(0.7, { atLeast: 0.7 }), meets(0.69, { atLeast: 0.7 })]).toEqual([true, false]);
    expect([meets(1.2, { atMost: 1.2 }), meets(1.21, { atMost: 1.2 })]).toEqual([true, false]);
  });
});

describe('a contest', () => {
  it('warms each side once, then takes them in an order that turns round each time', async () => {
    const order: string[] = [];
    const side = (name: string) => () => {
      order.push(name);
      return 1;
    };
    const against = ['b', 'c'].map((name) => ({ name, run: side(name) }));
    await measure({ what: 'it', unit: 'ms', subject: side('a'), against }, 3);
    expect(order.join('')).toBe('abcabccbaabc');
  });

  it('is decided by the median of the ratios, pair by pair', async () => {
    // Three rounds behind the one to warm up; the second one comes the other way round.
    const values = { subject: [0, 10, 1, 30], reference: [0, 5, 2, 10] };
    const next = (name: keyof typeof values) => () => values[name].shift()!;
    const contest = {
      what: 'it',
      unit: 'events/s',
      subject: next('subject'),
      against: [{ name: 'a floor', goal: { atLeast: 2.5 }, run: next('reference') }],
    };
    expect(await measure(contest, 3)).toEqual([
      {
        kind: 'figure',
        what: 'it',
        unit: 'events/s',
        subject: 10,
        against: 'a floor',
        reference: 5,
        ratio: 2,
        quartiles: [1.25, 2.5],
        pairs: 3,
        goal: { atLeast: 2.5 },
        met: false,
      },
    ]);
  });

  it.each([
    [{ atLeast: 2 }, true],
    [{ atMost: 2 }, true],
    [{ atLeast: 2.1 }, false],
    [{ atMost: 1.9 }, false],
  ])('with the goal %j comes out as %s where the ratio is 2', async (goal, met) => {
    const against = [{ name: 'a floor', goal, run: () => 1 }];
    const [figure] = await measure({ what: 'it', unit: 'ms', subject: () => 2, against }, 1);
    expect(figure!.met).toBe(met);
  });

  it('against a limit has been met where the limit is not passed', async () => {
    const contest = { what: 'it', unit: 'ms', subject: () => 30, against: [limitOf(20, 'the limit')] };
    expect(await measure(contest, 3)).toMatchObject([{ against: 'the limit', reference: 20, ratio: 1.5, met: false }]);
  });
});
