// Paths found by some of their letters, while they still come.
import fc from 'fast-check';
import fuzzysort from 'fuzzysort';
import { FileIndex, MOST_FOUND } from '../../lib/repl/file-index.ts';

/** `compared`: with how many paths each letter was compared. */
function counted() {
  const compared: number[] = [];
  const ranking: ConstructorParameters<typeof FileIndex>[0] = {
    prepare: fuzzysort.prepare,
    go: ((words: string, targets: readonly never[], options: object) => {
      compared.push(targets.length);
      return fuzzysort.go(words, targets, options);
    }) as never,
  };
  return { index: new FileIndex(ranking), compared };
}

const paths = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `lib/part-${(from + at) % 100}/mast-${from + at}.ts`);

it('each added path is compared once with the typed letters, without comparing earlier paths again', () => {
  const { index, compared } = counted();
  for (let from = 0; from < 100_000; from += 1_000) {
    index.add(paths(1_000, from));
    index.find('mst7');
  }
  expect(compared).toEqual(Array.from({ length: 100 }, () => 1_000));
  index.find('mst7');
  expect(compared).toHaveLength(100);
  index.find('mst77');
  expect(compared.at(-1)).toBe(100_000);
});

it('the matches do not depend on the order and the batches in which the paths were added', () => {
  const path = fc.array(fc.constantFrom('mast', 'hull', 'a', 'sail.ts', 'b-c', 'ümlaut'), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(
        path.map((parts) => parts.join('/')),
        { maxLength: MOST_FOUND },
      ),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom('', 'm', 'ma', 'mst', 'a s', 'ü', 'zz'),
      (all, size, typed) => {
        const whole = new FileIndex(fuzzysort);
        whole.add(all);
        const growing = new FileIndex(fuzzysort);
        const reversed = all.toReversed();
        for (let at = 0; at < reversed.length; at += size) {
          growing.add(reversed.slice(at, at + size));
          growing.find(typed);
        }
        expect(growing.find(typed)).toEqual(whole.find(typed));
      },
    ),
    { numRuns: 200 },
  );
});

it('an empty query finds the paths with the fewest directories', () => {
  const index = new FileIndex(fuzzysort);
  index.add(['a/b/c.ts', 'z.ts', 'a/b.ts', 'b.ts']);
  expect(index.find(' ')).toEqual(['b.ts', 'z.ts', 'a/b.ts', 'a/b/c.ts']);
  index.add(paths(1_000));
  expect(index.find('')).toHaveLength(MOST_FOUND);
});
