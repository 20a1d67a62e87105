import { DatabaseSync } from 'node:sqlite';
import { CatalogEdit } from '../../lib/catalog/catalog-edit.ts';
import { SCHEMA } from '../../lib/catalog/schema.ts';

/** An index of as many segments as it has words, as after a first sync of many sessions. */
function indexOf(words: readonly string[]): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(`${SCHEMA} INSERT INTO words (words, rank) VALUES ('automerge', 0)`);
  for (const [id, word] of words.entries()) {
    database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)').run(id + 1, word);
  }
  return database;
}

const WORDS = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'larch', 'maple', 'oak'];
/** More than are merged by the way. */
const TREES = [...WORDS, ...WORDS, ...WORDS];
const segmentsOf = (database: DatabaseSync) =>
  database.prepare('SELECT count(DISTINCT segid) AS n FROM words_idx').get()?.n;
const rowsWith = (database: DatabaseSync, word: string) =>
  database
    .prepare('SELECT rowid AS id FROM words WHERE words MATCH ?')
    .all(word)
    .map(({ id }) => id);

describe('segments of an index', () => {
  it('are merged into one where there are many, and each word is found as before', async () => {
    using database = indexOf(WORDS);
    expect(segmentsOf(database)).toBe(9);
    await new CatalogEdit(database, ['words', 'names']).mergeSegments(() => true);
    expect(segmentsOf(database)).toBe(1);
    for (const [id, word] of WORDS.entries()) expect(rowsWith(database, word)).toEqual([id + 1]);
  });

  it('are left as they are if there are few of them, or no time is left', async () => {
    using few = indexOf(WORDS.slice(0, 7));
    await new CatalogEdit(few).mergeSegments(() => true);
    expect(segmentsOf(few)).toBe(7);
    using many = indexOf(WORDS);
    await new CatalogEdit(many).mergeSegments(() => false);
    expect(segmentsOf(many)).toBe(9);
  });

  it('stay as they are while merges are put off, and a later sync merges them where this one was broken off', async () => {
    using database = new DatabaseSync(':memory:');
    database.exec(SCHEMA);
    const broken = new CatalogEdit(database);
    await broken.putOffMerges();
    for (const [id, word] of TREES.entries()) {
      await broken.add(1, (_, index) => index(id + 1, word));
      await broken.flush();
    }
    expect(segmentsOf(database)).toBe(TREES.length);
    await broken.mergeSegments(() => false);
    const next = new CatalogEdit(database);
    expect([segmentsOf(database), next.hasMergesPutOff]).toEqual([TREES.length, true]);
    await next.mergeSegments(() => true);
    expect([segmentsOf(database), next.hasMergesPutOff]).toEqual([1, false]);
    for (const [id, word] of TREES.entries()) expect(rowsWith(database, word)).toContain(id + 1);
    for (const [id, word] of TREES.entries()) {
      await next.add(1, (_, index) => index(TREES.length + id + 1, word));
      await next.flush();
    }
    expect(segmentsOf(database)).toBeLessThan(TREES.length);
  });
});
