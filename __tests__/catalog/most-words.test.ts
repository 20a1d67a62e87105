// Rows with most words, against a count by hand.
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { holdingMost, rowsWith } from '../../lib/catalog/most-words.ts';
import { SCHEMA } from '../../lib/catalog/schema.ts';

const VOCABULARY = ['heron', 'crane', 'stork', 'egret', 'ibis'];
/** Enough for a hundred rows with all of three common words. */
const ROWS = 260;
/** Ids of the catalogue have 16 digits. */
const FIRST = 1_700_000_000 * 2 ** 20;

interface Text {
  readonly id: number;
  readonly words: ReadonlySet<string>;
}

/** The first word is in most texts, the last one in four of ten. */
function textsOf(seed: number): readonly Text[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: ROWS }, (_, at) => ({
    id: FIRST + at * 3,
    words: new Set(VOCABULARY.filter((_, rank) => next() < 0.95 / (1 + rank / 3))),
  }));
}

function catalogueOf(texts: readonly Text[]): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(`${SCHEMA} BEGIN`);
  const index = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  for (const { id, words } of texts) index.run(id, `any ${[...words].join(' ')}`);
  database.exec('COMMIT');
  return database;
}

/** By hand: the ids, best first. */
function expected(
  texts: readonly Text[],
  { sought, excluded, since, isNarrow }: { sought: string[]; excluded: string[]; since: number; isNarrow: boolean },
): number[] {
  const rowsOf = (word: string) => texts.filter(({ words }) => words.has(word)).length;
  const known = sought.filter((word) => rowsOf(word) > 0).sort((a, b) => rowsOf(a) - rowsOf(b));
  if (known.length === 0) return [];
  const most = Math.floor(known.length / 2) + 1;
  const all = Math.max(...sought.map(rowsOf));
  const passing = texts.filter(({ id, words }) => id >= since && !excluded.some((word) => words.has(word)));
  const valued = passing.map(({ id, words }) => {
    const held = known.filter((word) => words.has(word));
    const score = held.reduce((sum, word) => sum + Math.log(1 + all / rowsOf(word)), 0);
    return { id, held: held.length, worth: score * (held.length / known.length) ** 2 };
  });
  const whole = valued.filter(({ held }) => held === known.length);
  const isWhole = most === known.length || (!isNarrow && whole.length >= 100);
  return (isWhole ? whole : valued.filter(({ held }) => held >= most))
    .sort((a, b) => b.worth - a.worth || b.id - a.id)
    .map(({ id }) => id);
}

it('rows with more than half of the words come by the rarity of those, also where the rows of a word are not kept', () => {
  const request = fc.record({
    seed: fc.nat(),
    sought: fc.uniqueArray(fc.constantFrom(...VOCABULARY, 'unknown'), { minLength: 1 }),
    excluded: fc.uniqueArray(fc.constantFrom(...VOCABULARY), { maxLength: 2 }),
    sinceRow: fc.constantFrom(0, 0, 1, ROWS / 2, ROWS),
    isNarrow: fc.boolean(),
    forgotten: fc.uniqueArray(fc.constantFrom(...VOCABULARY)),
  });
  fc.assert(
    fc.property(request, ({ seed, sought, excluded, sinceRow, isNarrow, forgotten }) => {
      const texts = textsOf(seed);
      using database = catalogueOf(texts);
      const since = FIRST + sinceRow * 3;
      const words = sought.map((word) => rowsWith(database, 'words', `"${word}"`, forgotten.includes(word) ? 0 : ROWS));
      const found = holdingMost(database, {
        table: 'words',
        words,
        excluded: excluded.map((word) => `"${word}"`),
        since,
        isNarrow,
      });
      expect(found.map(({ id }) => id)).toEqual(expected(texts, { sought, excluded, since, isNarrow }));
    }),
    { numRuns: 60 },
  );
});
