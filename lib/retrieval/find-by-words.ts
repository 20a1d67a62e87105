// Which passages hold the words of a question, best first, by BM25 over their stems. Passages outside of the scope do
// not count: neither for the rarity of a word, nor for the number of passages that are read. The work is bounded: very
// common words find no passages by themselves, but count in those that other words find.
import type { DatabaseSync } from 'node:sqlite';
import type { Query } from '../ranking/words.ts';

/** A passage and how well it answers. */
export interface Ranked {
  readonly passage: number;
  /** Higher is better. */
  readonly score: number;
}

/** A word of the question, and how rare it is. */
interface CountedStem {
  readonly stem: string;
  /** Passages of the scope that hold it. */
  readonly inScope: number;
  /** As in BM25. */
  readonly rarity: number;
  /** The rarity of the word in the scope, relative to that everywhere, which FTS5 knows. */
  readonly weight: number;
}

/** About 10 ms. */
const MAX_HITS = 4_000;
/** The weight of a word in the path or in a heading, where one in the text has 1. */
const ABOUT_WEIGHT = 2;
/** As FTS5 has it for a word that most passages hold. */
const LEAST_RARITY = 1e-6;

/** The passages that hold words of a question. */
export interface FoundByWords {
  /** Best first. */
  readonly ranked: readonly Ranked[];
  /** How rare a word of the question is in the scope, as in BM25; 0 for other words. */
  readonly rarityOf: (stem: string) => number;
}

/** Words of the files in the scope that have no passages yet. */
export interface CountedWords {
  /** As many passages as there will be, about. */
  readonly passages: number;
  /** How many of them hold a word, by its stem. */
  holding(stem: string): number;
}

/** `sources`: where passages are looked for. Default: everywhere. `uncut` counts in how rare a word is. */
export function findByWords(
  database: DatabaseSync,
  query: Query,
  sources?: readonly number[],
  uncut?: CountedWords,
): FoundByWords {
  const isScoped = sources !== undefined;
  const all = Number(database.prepare('SELECT count(*) AS n FROM passages').get()!.n);
  const here = (isScoped ? fillScoped(database, sources) : all) + (uncut?.passages ?? 0);
  const isAll = !isScoped && uncut === undefined;
  const counted = countsOf(database, query, isScoped).map(({ stem, everywhere, inScope }) => {
    const rarityHere = rarity(here, inScope + (uncut?.holding(stem) ?? 0));
    return { stem, inScope, rarity: rarityHere, weight: isAll ? 1 : rarityHere / rarity(all, everywhere) };
  });
  const rarityOf = new Map(counted.map((each) => [each.stem, each.rarity]));
  return {
    ranked: inOrder(scoresOf(database, counted, isScoped)),
    rarityOf: (stem) => rarityOf.get(stem) ?? 0,
  };
}

export function inOrder<Each extends Ranked>(ranked: Each[]): Each[] {
  return ranked.sort((a, b) => b.score - a.score || b.passage - a.passage);
}

/** The rarest words find passages, and words that most passages do not have count in the found ones. */
function scoresOf(database: DatabaseSync, counted: readonly CountedStem[], isScoped: boolean): Ranked[] {
  // The plus keeps SQLite from asking the index once for each passage of the scope.
  const hits = database.prepare(
    `SELECT rowid AS passage, -bm25(words, ${ABOUT_WEIGHT}, 1) AS score FROM words
    WHERE words MATCH ? ${isScoped ? 'AND +rowid IN scoped' : ''} ORDER BY rowid DESC LIMIT ${MAX_HITS}`,
  );
  const ask = (match: string) => hits.all(match) as unknown as readonly Ranked[];
  const sought = rarest(counted);
  const scores = new Map<number, number>();
  const unweighted = new Map<number, number>();
  for (const { stem, weight } of sought) {
    for (const { passage, score } of ask(quoted(stem))) {
      scores.set(passage, (scores.get(passage) ?? 0) + score * weight);
      unweighted.set(passage, (unweighted.get(passage) ?? 0) + score);
    }
  }
  const found = sought.map(({ stem }) => quoted(stem)).join(' OR ');
  for (const each of counted) {
    if (sought.includes(each) || each.rarity === LEAST_RARITY || sought.length === 0) continue;
    for (const { passage, score } of ask(`(${found}) AND ${quoted(each.stem)}`)) {
      const known = unweighted.get(passage);
      if (known === undefined) continue;
      scores.set(passage, scores.get(passage)! + (score - known) * each.weight);
    }
  }
  return Array.from(scores, ([passage, score]) => ({ passage, score }));
}

function quoted(stem: string): string {
  return `"${stem}"`;
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

/** Words of a question, as they were asked, which neither a passage of these sources nor an uncut file holds. */
export function wordsNowhere(
  database: DatabaseSync,
  query: Query,
  sources: readonly number[],
  uncut?: CountedWords,
): string[] {
  fillScoped(database, sources);
  const counts = countsOf(database, query, true);
  const isNowhere = (stem: string, index: number) => counts[index]!.inScope + (uncut?.holding(stem) ?? 0) === 0;
  return query.terms.filter(({ stem }, index) => isNowhere(stem, index)).map(({ shown }) => shown);
}

interface Count {
  readonly stem: string;
  /** Passages that hold it. */
  readonly everywhere: number;
  readonly inScope: number;
}

function countsOf(database: DatabaseSync, { terms }: Query, isScoped: boolean): Count[] {
  const count = database.prepare(
    isScoped
      ? 'SELECT count(*) AS everywhere, total(+rowid IN scoped) AS inScope FROM words WHERE words MATCH ?'
      : 'SELECT doc AS everywhere, doc AS inScope FROM terms WHERE term = ?',
  );
  return terms.map(({ stem }) => {
    const { everywhere, inScope } = count.get(isScoped ? quoted(stem) : stem) ?? { everywhere: 0, inScope: 0 };
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
export function rarity(passages: number, holding: number): number {
  const logarithm = Math.log((passages - holding + 0.5) / (holding + 0.5));
  return logarithm > 0 ? logarithm : LEAST_RARITY;
}
