import fc from 'fast-check';
import { sketchOf } from '../../lib/loop-detection/similarity.ts';

const word = fc.oneof(
  fc.stringMatching(/^[a-zA-Z]{1,9}$/),
  fc.stringMatching(/^[a-z]{0,3}[0-9]{1,12}[a-z]{0,3}$/),
  fc.constantFrom('Ärger', '我现在', '🙂', 'ЖУК'),
);
const between = fc.stringMatching(/^[ \t\n.,;:!?()"'`*_/-]{1,6}$/);
const RUNS = { numRuns: 100 };

it('a sketch depends only on the words, with anything between, before and after them', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(between, word), { maxLength: 60 }), between, fc.boolean(), (pairs, edge, ends) => {
      const text = pairs.map(([gap, each]) => gap + each).join('') + (ends ? edge : '');
      const words = pairs.map(([, each]) => each.toLowerCase().replace(/[0-9]+/g, '0')).join(' ');
      expect(sketchOf(text)).toEqual(sketchOf(words));
      expect(sketchOf(text) === undefined).toBe(pairs.length < 12);
    }),
    RUNS,
  );
});

it('a sketch is the smallest hash of each class, so that repeated runs do not change it and a new run can only lower it', () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 12, maxLength: 60 }),
      fc.array(word, { minLength: 1, maxLength: 20 }),
      (words, more) => {
        const text = words.join(' ');
        const longer = sketchOf(`${text} ${more.join(' ')}`)!;
        const sketch = sketchOf(text)!;
        for (const [index, rank] of sketch.entries()) {
          if (rank !== 0) expect(longer[index]).toBeLessThanOrEqual(rank);
        }
        expect(sketchOf(`${text} ${words.slice(-2).join(' ')} ${text} ${words.slice(-2).join(' ')} ${text}`)).toEqual(
          sketchOf(`${text} ${words.slice(-2).join(' ')} ${text}`),
        );
      },
    ),
    RUNS,
  );
});

it('a long text is read across its pieces, up to its limit and not beyond', () => {
  const words = Array.from(
    { length: 6000 },
    (_, index) => `w${'abcdefghij'[index % 10]}${(index * 7919).toString(36)}`,
  ).join(' ');
  const limit = 20_000;
  expect(sketchOf(words)).toEqual(sketchOf(words.slice(0, limit)));
  expect(sketchOf(words.slice(0, 8_300))).not.toEqual(sketchOf(words.slice(0, 8_100)));
  expect(sketchOf(words.slice(0, limit))).toEqual(sketchOf(` ${words.slice(0, limit)}`.slice(0, limit + 1).trim()));
});
