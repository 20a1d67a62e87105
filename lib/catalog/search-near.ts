// Sessions and messages with most words of a search, each in any of its forms, for a search that found few with all of
// them as they were typed. The work is bounded: the rarest words find, the newest first, and the others only count in
// the texts that those found.
import type { DatabaseSync } from 'node:sqlite';
import { closenessTo } from '../ranking/closeness.ts';
import { type Query, readQuery } from '../ranking/words.ts';
import { excerptAround } from './hit-excerpt.ts';
import { type FoundRow, holdingMost, rarityAmong, rowsWith, type WordRows, worthOf } from './most-words.ts';
import { matchExpression, type SearchTerm, withoutSyntax } from './query.ts';
import type { SearchParts } from './search-filter.ts';
import { namedHits } from './search-names.ts';
import type { SearchHit, SearchRequest } from './search-request.ts';
import { addressOf, hitOf, MESSAGE, type SearchRow } from './search-rows.ts';
import { corrected, isWordIn, spellingOf } from './spelling.ts';

/** The best rows with most of the words, of which the length counts too. */
const MAX_WEIGHED = 400;
/** The words of a text of this length count as they are, and those of one that is three times as long half as much. */
const USUAL_CHARACTERS = 1_000;
/** The best of them, which are ranked by how near the words are to each other. */
const MAX_CLOSE = 20;
const MAX_CLOSE_CHARACTERS = 8 * 1024;
/** Sessions that are found by their names. */
const MAX_NAMED = 3;
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

interface NearWord extends WordRows {
  /** As it was typed. */
  readonly shown: string;
  readonly stem: string;
  readonly terms: readonly SearchTerm[];
  /** Whether a text, or the name of a session, holds one. */
  readonly isKnown: boolean;
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
  return terms.map(({ shown, stem }) => {
    const own = formsOf(shown, stem);
    const word = (forms: readonly SearchTerm[]): NearWord => {
      const match = forms.map((term) => matchExpression({ terms: [term], without: [] })).join(' OR ');
      const found = rowsWith(database, 'words', match);
      return { ...found, shown, stem, terms: forms, isKnown: found.rows > 0 || isWordIn(database, 'names', shown) };
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

function formsIn(words: readonly NearWord[]): readonly SearchTerm[] {
  return words.flatMap(({ terms }, formOf) => terms.map((term) => ({ ...term, formOf })));
}

/** Sorts the best rows by their length too: a short text says it in fewer words. */
function shortFirst(database: DatabaseSync, found: readonly FoundRow[]): readonly FoundRow[] {
  const best = found.slice(0, MAX_WEIGHED);
  const read = database.prepare('SELECT id, size FROM messages WHERE id IN (SELECT value FROM json_each(?))');
  read.setReturnArrays(true);
  const rows = read.all(JSON.stringify(best.map(({ id }) => id))) as unknown as readonly (readonly [number, number])[];
  const sizes = new Map(rows);
  const weighed = best.map((row) => ({ row, worth: worthOf(row, row.score * weightOf(sizes.get(row.id))) }));
  weighed.sort((a, b) => b.worth - a.worth || b.row.id - a.row.id);
  return [...weighed.map(({ row }) => row), ...found.slice(MAX_WEIGHED)];
}

/** By which the words of a text of this length, in characters, are worth more or less. */
function weightOf(size: unknown): number {
  return 2 / (1 + Number(size ?? 0) / USUAL_CHARACTERS);
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
  for (const found of ranked) {
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
  const counted = words.map(({ match, rows }) => ({
    ...rowsWith(parts.database, 'names', `{title branch} : (${match})`),
    rows: Math.max(1, rows),
  }));
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
