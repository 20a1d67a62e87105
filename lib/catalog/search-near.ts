// Sessions and messages with most words of a search, each in any of its forms, for a search that found few with all of
// them as they were typed. The work is bounded: the rarest words find, the newest first, and the others only count in
// the texts that those found.
import type { DatabaseSync } from 'node:sqlite';
import { closenessTo } from '../ranking/closeness.ts';
import { type Query, readQuery } from '../ranking/words.ts';
import { excerptAround } from './hit-excerpt.ts';
import { matchExpression, type SearchTerm, withoutSyntax } from './query.ts';
import type { SearchParts } from './search-filter.ts';
import { namedHits } from './search-names.ts';
import type { SearchHit, SearchRequest } from './search-request.ts';
import { addressOf, hitOf, MESSAGE, type SearchRow } from './search-rows.ts';
import { corrected, isWordIn, spellingOf } from './spelling.ts';

/** Rows that the rarest words may find together. */
const MAX_FOUND = 4_000;
/** The best of them, of which the length counts too. */
const MAX_WEIGHED = 400;
/** The words of a text of this length count as they are, and those of one that is three times as long half as much. */
const USUAL_CHARACTERS = 1_000;
/** The best of them, which are ranked by how near the words are to each other. */
const MAX_CLOSE = 20;
const MAX_CLOSE_CHARACTERS = 8 * 1024;
/** The best of them that are read at most, where filters let few pass. */
const MAX_READ = 1_000;
/** Sessions that are found by their names. */
const MAX_NAMED = 3;
/** Rows with most of the words are sought only if fewer rows than this have all of them. */
const ENOUGH_WHOLE = 100;
/** A shorter stem begins too many other words. */
const LEAST_STEM = 4;

interface NearHits {
  readonly hits: readonly SearchHit[];
  /** Words that are in no text. */
  readonly unknown: readonly string[];
  /** The request as it was perhaps meant. */
  readonly didYouMean: string | undefined;
  /** Whether a message has all of the words, in any form. */
  readonly hasAllWords: boolean;
}

interface NearWord {
  /** As it was typed. */
  readonly shown: string;
  readonly stem: string;
  /** The expression of FTS5 for any of its forms. */
  readonly match: string;
  readonly terms: readonly SearchTerm[];
  /** Rows that hold one. */
  readonly rows: number;
  /** Whether a text, or the name of a session, holds one. */
  readonly isKnown: boolean;
}

interface Found {
  readonly id: number;
  /** How rare the words are that it holds. */
  readonly score: number;
  /** The part of the words that it holds. */
  readonly cover: number;
}

/** `known`: addresses of hits that were found before. */
export function searchNear(
  parts: SearchParts,
  request: SearchRequest,
  { known, limit }: { readonly known: ReadonlySet<string>; readonly limit: number },
): NearHits {
  const { database, filter } = parts;
  const { text, without } = withoutSyntax(request.text);
  const query = readQuery(text);
  const corrections = new Map<string, string>();
  const words = wordsOf(database, query, corrections);
  const unknown = words.filter(({ isKnown, shown }) => !isKnown && !corrections.has(shown)).map(({ shown }) => shown);
  const didYouMean = corrections.size === 0 ? undefined : corrected(request.typed ?? request.text, corrections);
  const excluded = without.map((term) => matchExpression({ terms: [term], without: [] }));
  const named = filter.isOfSessions ? namedNear(parts, request, words, excluded) : [];
  const { hits: said, isWhole } = messagesNear(parts, { query, words, excluded, limit, known });
  const hits = [...named.filter(({ address }) => !known.has(address)).slice(0, MAX_NAMED), ...said];
  return {
    hits: hits.map((hit): SearchHit => ({ ...hit, isNear: true })),
    unknown,
    didYouMean,
    hasAllWords: isWhole && corrections.size === 0,
  };
}

function wordsOf(database: DatabaseSync, { terms }: Query, corrections: Map<string, string>): NearWord[] {
  const count = database.prepare('SELECT count(*) AS n FROM words WHERE words MATCH ?');
  return terms.map(({ shown, stem }) => {
    const own = formsOf(shown, stem);
    const word = (forms: readonly SearchTerm[]): NearWord => {
      const match = forms.map((term) => matchExpression({ terms: [term], without: [] })).join(' OR ');
      const rows = Number(count.get(match)?.n);
      return {
        shown,
        stem,
        match: `(${match})`,
        terms: forms,
        rows,
        isKnown: rows > 0 || isWordIn(database, 'names', shown),
      };
    };
    const typed = word(own);
    if (typed.isKnown) return typed;
    const spelling = spellingOf(database, shown);
    if (spelling === undefined) return typed;
    corrections.set(shown, spelling);
    const [meant] = readQuery(spelling).terms;
    return meant === undefined ? typed : word([...own, ...formsOf(meant.shown, meant.stem)]);
  });
}

/** All words that begin with the stem; of a short one those with an ending of English. */
export function formsOf(shown: string, stem: string): readonly SearchTerm[] {
  const bare = stem.replace(/i$/, '');
  if (!/^[a-z]{3,}$/.test(bare)) return [{ text: shown, isPrefix: false }];
  if (bare.length >= LEAST_STEM) return [{ text: bare, isPrefix: true }];
  const endings = ['', 's', 'es', 'ed', 'ing', `${bare.at(-1)}ed`, `${bare.at(-1)}ing`];
  const forms = new Set([shown, ...endings.map((ending) => `${bare}${ending}`)]);
  return [...forms].map((text) => ({ text, isPrefix: false }));
}

interface Sought {
  readonly table: 'words' | 'names';
  readonly words: readonly NearWord[];
  readonly excluded: readonly string[];
  readonly since: number;
  /** Whether a filter may let few of the rows pass. */
  readonly isNarrow: boolean;
}

function formsIn(words: readonly NearWord[]): readonly SearchTerm[] {
  return words.flatMap(({ terms }, formOf) => terms.map((term) => ({ ...term, formOf })));
}

/**
 * Rows that hold most of the words, those with the rarest ones first. How often a row has a word does not count: FTS5's
 * own rank reads all rows of each form again to weigh it, half the time of a question, and answers no more of them.
 */
function holdingMost(database: DatabaseSync, { table, words, excluded, since, isNarrow }: Sought): readonly Found[] {
  const rarestFirst = words.filter(({ rows }) => rows > 0).toSorted((a, b) => a.rows - b.rows);
  const most = Math.floor(rarestFirst.length / 2) + 1;
  const hits = database.prepare(
    `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ${MAX_FOUND}`,
  );
  const columns = table === 'names' ? '{title branch} : ' : '';
  const not = excluded.length === 0 ? '' : ` NOT (${excluded.join(' OR ')})`;
  const ask = (match: string) => hits.all(`(${columns}(${match}))${not}`, since).map(({ id }) => Number(id));
  const rarityOf = rarityAmong(words);
  const isAll = most === rarestFirst.length;
  if (isAll || (!isNarrow && (rarestFirst[0]?.rows ?? 0) >= ENOUGH_WHOLE)) {
    const whole = ask(rarestFirst.map(({ match }) => match).join(' AND '));
    const score = rarestFirst.reduce((sum, word) => sum + rarityOf(word), 0);
    if (isAll || whole.length >= ENOUGH_WHOLE) return whole.map((id) => ({ id, score, cover: 1 }));
  }
  const found = new Map<number, { score: number; words: number }>();
  const add = (id: number, word: NearWord) => {
    const { score, words: before } = found.get(id) ?? { score: 0, words: 0 };
    found.set(id, { score: score + rarityOf(word), words: before + 1 });
  };
  const seeking: NearWord[] = [];
  let rows = 0;
  for (const word of rarestFirst) {
    rows += word.rows;
    // Without one of these a row cannot hold most of them.
    const isNeeded = seeking.length <= rarestFirst.length - most;
    if (seeking.length === 0 || (isNeeded && rows <= MAX_FOUND)) {
      for (const id of ask(word.match)) add(id, word);
      seeking.push(word);
      continue;
    }
    const both = `(${seeking.map(({ match }) => match).join(' OR ')}) AND ${word.match}`;
    for (const id of ask(both)) if (found.has(id)) add(id, word);
  }
  return [...found]
    .filter(([, row]) => row.words >= most)
    .map(([id, row]): Found => ({ id, score: row.score, cover: row.words / rarestFirst.length }))
    .toSorted(bestFirst);
}

function rarityAmong(words: readonly NearWord[]): (word: Pick<NearWord, 'rows'>) => number {
  const all = Math.max(...words.map(({ rows }) => rows), 1);
  return ({ rows }) => (rows === 0 ? 0 : Math.log(1 + all / rows));
}

/** Sorts the best rows by their length too: a short text says it in fewer words. */
function shortFirst(database: DatabaseSync, found: readonly Found[]): readonly Found[] {
  const sizeOf = database.prepare('SELECT size FROM messages WHERE id = ?');
  const weighed = found.slice(0, MAX_WEIGHED).map((row) => ({ row, weight: weightOf(sizeOf.get(row.id)?.size ?? 0) }));
  weighed.sort((a, b) =>
    bestFirst({ ...a.row, score: a.row.score * a.weight }, { ...b.row, score: b.row.score * b.weight }),
  );
  return [...weighed.map(({ row }) => row), ...found.slice(MAX_WEIGHED)];
}

/** By which the words of a text of this length, in characters, are worth more or less. */
function weightOf(size: unknown): number {
  return 2 / (1 + Number(size) / USUAL_CHARACTERS);
}

/** A text with all of the words answers better than one with rarer words of which some are missing. */
function worthOf({ cover }: Pick<Found, 'cover'>, score: number): number {
  return score * cover ** 2;
}

function bestFirst(a: Found, b: Found): number {
  return worthOf(b, b.score) - worthOf(a, a.score) || b.id - a.id;
}

function messagesNear(
  { database, filter, repetitions, textOf }: SearchParts,
  {
    query,
    words,
    excluded,
    limit,
    known,
  }: {
    readonly query: Query;
    readonly words: readonly NearWord[];
    readonly excluded: readonly string[];
    readonly limit: number;
    readonly known: ReadonlySet<string>;
  },
): { readonly hits: readonly SearchHit[]; readonly isWhole: boolean } {
  const rowOf = database.prepare(`${MESSAGE} WHERE m.id = ?`);
  const { since, isNarrow } = filter;
  const ranked = shortFirst(database, holdingMost(database, { table: 'words', words, excluded, since, isNarrow }));
  const rarityOf = rarityAmong(words);
  const rarity = new Map(words.map((word) => [word.stem, rarityOf(word)]));
  const closeness = closenessTo(query, (stem) => rarity.get(stem) ?? 0);
  const terms = formsIn(words);
  const passing: { readonly row: SearchRow; readonly text: string; readonly score: number }[] = [];
  let isWhole = false;
  for (const found of ranked.slice(0, MAX_READ)) {
    const { id, score } = found;
    if (passing.length >= Math.max(limit, MAX_CLOSE)) break;
    const row = rowOf.get(id);
    if (row === undefined || !filter.passes(row) || repetitions.isRepeated(row)) continue;
    if (known.has(addressOf(row))) continue;
    const text = textOf(row);
    const close = passing.length < MAX_CLOSE ? closeness(text.slice(0, MAX_CLOSE_CHARACTERS)) : 0;
    passing.push({ row, text, score: worthOf(found, score * weightOf(row.size) + close) });
    isWhole ||= found.cover === 1;
  }
  const hits = passing
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ row, text, score }) => hitOf(row, { score, excerpt: excerptAround(text, terms) }));
  return { hits, isWhole: isWhole && words.every(({ rows }) => rows > 0) };
}

function namedNear(
  parts: SearchParts,
  request: SearchRequest,
  words: readonly NearWord[],
  excluded: readonly string[],
): readonly SearchHit[] {
  // A word that is in no name counts too: a title of one word would else answer to any question with it.
  const counted = words.map((word) => ({ ...word, rows: Math.max(1, word.rows) }));
  const found = holdingMost(parts.database, {
    table: 'names',
    words: counted,
    excluded,
    since: 0,
    isNarrow: parts.filter.isNarrow,
  });
  const terms = formsIn(words);
  return namedHits(
    parts,
    found.slice(0, MAX_CLOSE).map(({ id, score }) => ({ number: id, score })),
    { terms, without: [] },
    request,
  );
}
