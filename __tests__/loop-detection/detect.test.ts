import fc from 'fast-check';
import { findRepetition, MAX_PERIOD } from '../../lib/loop-detection/detect.ts';

const letters = (text: string) => text.split('');

describe('findRepetition', () => {
  it.each([
    ['', 3, undefined],
    ['aa', 3, undefined],
    ['aaa', 3, { period: 1, count: 3 }],
    ['baaaa', 3, { period: 1, count: 4 }],
    ['ababab', 3, { period: 2, count: 3 }],
    ['xyababab', 3, { period: 2, count: 3 }],
    ['abab', 3, undefined],
    ['abcabcabc', 3, { period: 3, count: 3 }],
    ['aaab', 3, undefined],
    ['abcabcabcx', 3, undefined],
  ])('%p at threshold %i: %j', (steps, threshold, found) => {
    expect(findRepetition(letters(steps), threshold)).toEqual(found);
  });

  it('finds every cycle up to the longest period, after any beginning', () => {
    const step = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 5 }),
        fc.array(step, { minLength: 1, maxLength: MAX_PERIOD }),
        fc.integer({ min: 2, max: 4 }),
        (before, cycle, threshold) => {
          const steps = [...before, ...Array(threshold).fill(cycle).flat()];
          expect(findRepetition(steps, threshold)?.count).toBeGreaterThanOrEqual(threshold);
        },
      ),
    );
  });
});
