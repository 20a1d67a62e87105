// The quick way against the plain one: words cut out by a regular expression, and their ends looked up one by one.
import fc from 'fast-check';
import { NO_RANK, readRuns } from '../../lib/loop-detection/runs.ts';

const RUNS = { numRuns: 500 };
const MOST_READ = 20_000;

/** Words of all lengths around that of a stretch and that of the longest, with what stands between them. */
const word = fc.oneof(
  fc.constantFrom('a', 'to', 'Über', 'ÜBER', 'two2', '12', '7', '我现在', '🙂', 'x'.repeat(13), 'y'.repeat(14)),
  fc.integer({ min: 1, max: 40 }).map((length) => 'z'.repeat(length)),
);
const blank = fc.oneof(
  fc.constantFrom(' ', '\n', ', ', '. ', '\u00a0', '\u3000', '/', '_', '\0', ''),
  fc.integer({ min: 1, max: 40 }).map((length) => '-'.repeat(length)),
);
const text = fc
  .tuple(blank, fc.array(fc.tuple(word, blank), { maxLength: 30 }))
  .map(([first, rest]) => first + rest.map(([said, between]) => said + between).join(''));

describe('the runs of a text', () => {
  it('are as many as its words make, and the same where the words are the same', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const said = `${one} ${other} ${one}`;
        const { words, hashes } = readRuns(said);
        const plain = wordsOf(said);
        expect(words).toBe(plain.length);
        const triples = plain.slice(2).map((_, index) => plain.slice(index, index + 3).join(' '));
        expect(hashes).toHaveLength(triples.length);
        const hashesBy = new Map(triples.map((triple, index) => [triple, hashes[index]]));
        expect([...hashes]).toEqual(triples.map((triple) => hashesBy.get(triple)));
      }),
      RUNS,
    );
  });

  it('are others where one word is another, or stands at another place', () => {
    const hashes = ['one two three', 'one two four', 'two one three', 'three two one', 'onetwo three x'].map(
      (said) => readRuns(said).hashes[0],
    );
    expect(new Set(hashes).size).toBe(5);
  });

  it('are counted: never less often than one came, and no more often where no two share a bucket', () => {
    let repeated = 0;
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 300 }), (said, times) => {
        const { hashes, repetitions } = readRuns(`${said} `.repeat(times));
        const counts = new Map<number, number>();
        for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
        const most = Math.max(0, ...counts.values());
        expect(repetitions).toBeGreaterThanOrEqual(Math.min(256, most));
        expect(repetitions).toBeLessThanOrEqual(Math.min(256, hashes.length));
        if (counts.size <= 1) expect(repetitions).toBe(Math.min(256, most));
        if (repetitions > 1) repeated += 1;
      }),
      RUNS,
    );
    expect(repeated).toBeGreaterThan(100);
  });

  it('have a smallest rank in each class, of this text alone', () => {
    fc.assert(
      fc.property(text, (said) => {
        const { hashes, smallest } = readRuns(said);
        const plain = Array.from(smallest, (_, index) =>
          Math.min(NO_RANK, ...[...hashes].filter((hash) => hash % 32 === index).map((hash) => hash >>> 5)),
        );
        expect([...smallest]).toEqual(plain);
      }),
      RUNS,
    );
  });

  it('are dense where a word ends within 30 characters, wherever the text is cut', () => {
    let dense = 0;
    fc.assert(
      fc.property(text, (said) => {
        const { isDense } = readRuns(said);
        if (isDense) dense += 1;
        expect(isDense).toBe(gapsOf(said).every((gap) => gap < 30));
      }),
      RUNS,
    );
    expect(dense).toBeGreaterThan(5);
    expect(dense).toBeLessThan(495);
  });

  it.each([MOST_READ - 1, MOST_READ, MOST_READ + 1])(
    'are dense in a text of %i characters if all of it was read',
    (length) => {
      expect(readRuns('word '.repeat(length).slice(0, length)).isDense).toBe(length <= MOST_READ);
    },
  );
});

/** Folded: lower case where that is one unit, digits as one. */
function wordsOf(said: string): string[] {
  return Array.from(said.matchAll(WORD), ([found]) => found.toLowerCase().replace(/[0-9]+/g, '0'));
}

function gapsOf(said: string): number[] {
  const ends = Array.from(said.matchAll(WORD), ({ 0: found, index }) => index + found.length - 1);
  return [...ends, said.length].map((end, index) => end - (ends[index - 1] ?? -1));
}

const WORD = /[a-z0-9\u0080-\u009f\u00a1-\u2fff\u3001-\uffff]+/gi;
