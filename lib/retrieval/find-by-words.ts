// Which passages hold the words of a question, best first, by BM25 over their stems. What is outside of the scope
// counts for nothing: neither for how rare a word is, nor for how many passages are looked at. The work is bounded:
// words that very many passages hold find none by themselves.
import type { DatabaseSync } from 'node:sqlite';
import type { Query } from '../ranking/words.ts';

/** A passage and how well it answers. */
export interface Ranked {
  readonly passage: number;
  /** Higher is better. */
  readonly score: number;
}

/** A word of the question, and how many passages hold it. */
interface CountedStem {
  readonly stem: string;
  readonly everywhere: number;
  readonly inScope: number;
}

/** About 10 ms. */
const MAX_HITS = 4_000;
/** What a word in the path or in a heading counts, beside one in the text. */
const ABOUT_WEIGHT = 2;
/** As FTS5 has it for a word that most passages hold. */
const LEAST_RARITY = 1e-6;

/** `sources`: where passages are looked for. Default: everywhere. */
export function findByWords(database: DatabaseSync, { terms }: Query, sources?: readonly number[]): Ranked[] {
  const isScoped = sources !== undefined;
  const all = Number(database.prepare('SELECT count(*) AS n FROM passages').get()!.n);
  const here = isScoped ? fillScoped(database, sources) : all;
  const stems = terms.map(({ stem }) => stem);
  const sought = rarest(isScoped ? countsInScope(database, stems) : counts(database, stems));
  // The plus keeps SQLite from asking the index once for each passage of the scope.
  const hits = database.prepare(
    `SELECT rowid AS passage, -bm25(words, ${ABOUT_WEIGHT}, 1) AS score FROM words
    WHERE words MATCH ? ${isScoped ? 'AND +rowid IN scoped' : ''} ORDER BY rowid DESC LIMIT ${MAX_HITS}`,
  );
  const scores = new Map<number, number>();
  for (const { stem, everywhere, inScope } of sought) {
    // FTS5 knows only how rare a word is everywhere.
    const weight = isScoped ? rarity(here, inScope) / rarity(all, everywhere) : 1;
    for (const { passage, score } of hits.all(`"${stem}"`) as unknown as Ranked[]) {
      scores.set(passage, (scores.get(passage) ?? 0) + score * weight);
    }
  }
  return Array.from(scores, ([passage, score]) => ({ passage, score })).sort(
    (a, b) => b.score - a.score || b.passage - a.passage,
  );
}

/** Puts the passages of these sources into a table of this connection. Returns how many there are. */
function fillScoped(database: DatabaseSync, sources: readonly number[]): number {
  database.exec('CREATE TEMP TABLE IF NOT EXISTS scoped (passage INTEGER PRIMARY KEY); DELETE FROM scoped');
  const { changes } = database
    .prepare(
      `INSERT OR IGNORE INTO scoped
      SELECT passage FROM places WHERE source IN (SELECT value FROM json_each(?))`,
    )
    .run(JSON.stringify(sources));
  return Number(changes);
}

function counts(database: DatabaseSync, stems: readonly string[]): CountedStem[] {
  const count = database.prepare('SELECT doc FROM terms WHERE term = ?');
  return stems.map((stem) => {
    const everywhere = Number(count.get(stem)?.doc ?? 0);
    return { stem, everywhere, inScope: everywhere };
  });
}

function countsInScope(database: DatabaseSync, stems: readonly string[]): CountedStem[] {
  const count = database.prepare(
    'SELECT count(*) AS everywhere, total(+rowid IN scoped) AS inScope FROM words WHERE words MATCH ?',
  );
  return stems.map((stem) => {
    const { everywhere, inScope } = count.get(`"${stem}"`)!;
    return { stem, everywhere: Number(everywhere), inScope: Number(inScope) };
  });
}

/** The rarest words, as many as do not find too much. */
function rarest(stems: readonly CountedStem[]): CountedStem[] {
  let hits = 0;
  return stems
    .filter(({ inScope }) => inScope > 0)
    .sort((a, b) => a.inScope - b.inScope)
    .filter(({ inScope }, index) => {
      hits += inScope;
      return index === 0 || hits <= MAX_HITS;
    });
}

/** The inverse document frequency of BM25, by the formula of FTS5. */
function rarity(passages: number, holding: number): number {
  const logarithm = Math.log((passages - holding + 0.5) / (holding + 0.5));
  return logarithm > 0 ? logarithm : LEAST_RARITY;
}
