// Which passages hold the words of a question, best first, by BM25 over their stems. The work is bounded: words that
// very many passages hold find none by themselves.
import type { DatabaseSync } from 'node:sqlite';
import type { Query } from '../ranking/words.ts';

/** A passage and how well it answers. */
export interface Ranked {
  readonly passage: number;
  /** Higher is better. */
  readonly score: number;
}

/** About 10 ms. */
const MAX_HITS = 4_000;
/** What a word in the path or in a heading counts, beside one in the text. */
const ABOUT_WEIGHT = 2;

export function findByWords(database: DatabaseSync, query: Query): Ranked[] {
  const stems = soughtStems(database, query);
  if (stems.length === 0) return [];
  const expression = stems.map((stem) => `"${stem}"`).join(' OR ');
  const found = database
    .prepare(
      `SELECT rowid AS passage, -bm25(words, ${ABOUT_WEIGHT}, 1) AS score FROM words WHERE words MATCH ?
      ORDER BY rowid DESC LIMIT ${MAX_HITS}`,
    )
    .all(expression) as unknown as Ranked[];
  return found.sort((a, b) => b.score - a.score || b.passage - a.passage);
}

/** The rarest words, as many as do not find too much. */
function soughtStems(database: DatabaseSync, { terms }: Query): string[] {
  const frequency = database.prepare('SELECT doc FROM terms WHERE term = ?');
  const known = terms
    .map(({ stem }) => ({ stem, passages: Number(frequency.get(stem)?.doc ?? 0) }))
    .filter(({ passages }) => passages > 0)
    .sort((a, b) => a.passages - b.passages);
  let hits = 0;
  return known
    .filter(({ passages }, index) => {
      hits += passages;
      return index === 0 || hits <= MAX_HITS;
    })
    .map(({ stem }) => stem);
}
