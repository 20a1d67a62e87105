import fc from 'fast-check';
import { Heights } from '../../../lib/page/model/heights.ts';

const heights = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 60 });

function made(values: readonly number[]): Heights {
  const tree = new Heights(0, 0);
  for (const value of values) tree.push(value);
  return tree;
}

describe('the heights of stacked elements', () => {
  it('add up to a plain sum, also after changes', () => {
    fc.assert(
      fc.property(heights, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 900 }))), (values, changes) => {
        const tree = made(values);
        const plain = [...values];
        for (const [at, height] of changes) {
          plain[at % plain.length] = height;
          tree.set(at % plain.length, height);
        }
        let sum = 0;
        for (const [index, height] of plain.entries()) {
          if (tree.before(index) !== sum || tree.at(index) !== height) throw new Error(`other sums at ${index}`);
          sum += height;
        }
        expect(tree.total).toBe(sum);
      }),
    );
  });

  it('find the element at a pixel: the one that begins there or above, and ends below', () => {
    fc.assert(
      fc.property(heights, fc.nat(40_000), (values, pixel) => {
        const tree = made(values);
        const index = tree.indexAt(pixel);
        expect(tree.before(index)).toBeLessThanOrEqual(Math.max(0, pixel));
        if (index < tree.count - 1) expect(tree.before(index + 1)).toBeGreaterThan(pixel);
      }),
    );
  });
});
