// The laws of joining two orders by the places that passages have in them.
import fc from 'fast-check';
import { fuse } from '../../lib/retrieval/fuse.ts';

const order = () => fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });
const ids = (orders: readonly (readonly number[])[]) => fuse(orders).map(({ passage }) => passage);

it('a single order stays unchanged', () => {
  fc.assert(fc.property(order(), (one) => expect(ids([one])).toEqual(one)));
});

it('no passage is lost, invented or repeated', () => {
  fc.assert(
    fc.property(order(), order(), (one, other) => {
      const joined = ids([one, other]);
      expect(joined.toSorted((a, b) => a - b)).toEqual([...new Set([...one, ...other])].sort((a, b) => a - b));
    }),
  );
});

it('the sequence of the two orders does not matter', () => {
  fc.assert(fc.property(order(), order(), (one, other) => expect(ids([one, other])).toEqual(ids([other, one]))));
});

it('a passage that is before a second one in both orders is before it in the joined one', () => {
  fc.assert(
    fc.property(order(), order(), (one, other) => {
      const joined = ids([one, other]);
      const placeIn = (list: readonly number[], passage: number) => {
        const at = list.indexOf(passage);
        return at < 0 ? Number.POSITIVE_INFINITY : at;
      };
      for (const a of joined) {
        for (const b of joined) {
          const isBefore = [one, other].every((list) => placeIn(list, a) < placeIn(list, b));
          if (isBefore) expect(joined.indexOf(a)).toBeLessThan(joined.indexOf(b));
        }
      }
    }),
  );
});

it('the ranks are the places in each order, and a passage in both beats one only at the same place of one', () => {
  expect(
    fuse([
      [7, 8],
      [8, 9],
    ]),
  ).toEqual([
    { passage: 8, score: 1 / 62 + 1 / 61, ranks: [2, 1] },
    { passage: 7, score: 1 / 61, ranks: [1, undefined] },
    { passage: 9, score: 1 / 62, ranks: [undefined, 2] },
  ]);
});
