// Which passages the words of a question find, and that everything outside of the scope changes nothing in it.
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { readQuery } from '../../lib/ranking/words.ts';
import { findByWords } from '../../lib/retrieval/find-by-words.ts';
import { addPassages, numberOfSource } from '../../lib/retrieval/passages.ts';
import { retrieve } from '../../lib/retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';

const HERE = '/home/ada/here';
const ELSEWHERE = '/home/ada/elsewhere';

function indexOf(projects: Readonly<Record<string, readonly string[]>>): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(`${PASSAGES_FORM.schema}; BEGIN`);
  for (const [home, texts] of Object.entries(projects)) {
    for (const [index, text] of texts.entries()) {
      const source = numberOfSource(database, { kind: 'file', home, name: `${index}.md`, project: home });
      addPassages(database, source, [{ about: '', text, lines: [1, 1] }]);
    }
  }
  database.exec('COMMIT');
  return database;
}

const textsFor = (database: DatabaseSync, question: string) =>
  retrieve(database, { question, limit: 10, scope: { project: HERE } }).map(({ text }) => text);

describe('a question about one project', () => {
  it('finds its passage, although 5,000 better and newer ones are elsewhere', () => {
    const own = 'The keel is laid on blocks, far from any anchor, in a dry shed beside the slipway.';
    const foreign = Array.from({ length: 5_000 }, (_, index) => `anchor chain ${index}`);
    using database = indexOf({ [HERE]: [own, 'The sail is white.'], [ELSEWHERE]: foreign });
    expect(textsFor(database, 'anchor')).toEqual([own]);
    expect(textsFor(database, 'anchor chain')).toEqual([own]);
  });

  it('asks for a word that is common elsewhere and rare here', () => {
    const own = ['The anchor is of iron.', 'The mast is of spruce.', 'The sail is of flax.'];
    const foreign = Array.from({ length: 4_500 }, (_, index) => `anchor number ${index}`);
    using database = indexOf({ [HERE]: own, [ELSEWHERE]: [...foreign, 'a mast'] });
    expect(textsFor(database, 'mast anchor').toSorted()).toEqual([own[0], own[1]]);
  });

  it('ranks its passages like an index of only this project', () => {
    // All of one length, since the mean length is that of the whole index.
    const word = fc.constantFrom(...'keel mast sail oar rudder anchor'.split(' '));
    const text = fc.array(word, { minLength: 4, maxLength: 4 }).map((words) => words.join(' '));
    const texts = fc.uniqueArray(text, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, text, (own, foreign, question) => {
        using alone = indexOf({ [HERE]: own });
        using mixed = indexOf({ [HERE]: own, [ELSEWHERE]: foreign });
        const query = readQuery(question);
        const expected = findByWords(alone, query).ranked;
        const sources = own.map((_, index) => index + 1);
        const found = findByWords(mixed, query, sources).ranked;
        expect(found.map(({ passage }) => passage).toSorted()).toEqual(
          expected.map(({ passage }) => passage).toSorted(),
        );
        const scores = new Map(expected.map(({ passage, score }) => [passage, score]));
        for (const { passage, score } of found) expect(score).toBeCloseTo(scores.get(passage)!, 5);
      }),
    );
  });

  it('ranks a passage with two common words before thousands with one', () => {
    const both = 'the first build did fail';
    const numbered = (count: number, of: string) =>
      Array.from({ length: count }, (_, index) => `${of} number ${index}`);
    const others = [...numbered(3_000, 'build'), ...numbered(3_500, 'fail'), ...numbered(4_000, 'other')];
    using database = indexOf({ [HERE]: [both, ...others] });
    expect(textsFor(database, 'build fail')[0]).toBe(both);
    expect(retrieve(database, { question: 'build fail', limit: 1 })[0]?.text).toBe(both);
  });

  it('ranks a passage first if the words are near each other', () => {
    const near =
      'Ships wait outside until the harbour pilot has come aboard, asks for their draught, and takes the wheel over.';
    const far = 'The harbour is deep, and in the tower above its gate lives a pilot.';
    using database = indexOf({ [HERE]: [near, far, 'The sail.', 'The mast.', 'The keel.', 'The oar.', 'The rudder.'] });
    expect(textsFor(database, 'harbour pilot')).toEqual([near, far]);
  });

  it('finds nothing if no source is in the scope', () => {
    using database = indexOf({ [ELSEWHERE]: ['The anchor is of iron.'] });
    expect(textsFor(database, 'anchor')).toEqual([]);
  });
});
