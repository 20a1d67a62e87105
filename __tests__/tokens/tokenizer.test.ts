import fc from 'fast-check';
import { slicedCounter } from '../../lib/tokens/tokenizer.ts';
import { anyCharacter } from '../support/any-character.ts';

/** Counts code points, and remembers its arguments. */
function pointCounter() {
  const asked: string[] = [];
  const counter = slicedCounter(
    (slice) => {
      asked.push(slice);
      return [...slice].length;
    },
    { method: 'counted', rememberedSlices: 3 },
  );
  return { asked, counter };
}

describe('counting in slices', () => {
  it('counts every character once, and never splits a pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 300 }),
        fc.integer({ min: 1, max: 60 }),
        (text, repeat) => {
          const long = text.repeat(repeat);
          const { asked, counter } = pointCounter();
          expect(counter.count(long)).toEqual({ count: [...long].length, method: 'counted' });
          for (const slice of asked) expect(slice.length).toBeLessThanOrEqual(4096);
        },
      ),
    );
  });

  it('cuts long runs without a break into short pieces', () => {
    const { asked, counter } = pointCounter();
    counter.count('a'.repeat(50_000));
    expect(new Set(asked)).toEqual(new Set(['a'.repeat(256), 'a'.repeat((50_000 % 4096) % 256)]));
  });

  it('does not count a remembered slice twice', () => {
    const { asked, counter } = pointCounter();
    counter.count('one two');
    counter.count('one two');
    expect(asked).toEqual(['one two']);
    for (const text of ['a', 'b', 'c']) counter.count(text);
    counter.count('one two');
    expect(asked).toEqual(['one two', 'a', 'b', 'c', 'one two']);
  });

  it('estimates a text that is too long to be counted', () => {
    const { asked, counter } = pointCounter();
    expect(counter.count('x '.repeat(600_000)).method).toBe('estimated');
    expect(asked).toEqual([]);
  });
});
