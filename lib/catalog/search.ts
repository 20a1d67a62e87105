// Searches the catalogue: sessions by their names and messages by their words, best first, or messages by a regular
// expression, newest first. The work is bounded: very common words are ranked only among the newest hits. A result
// tells when hits were left out.
import type { DatabaseSync } from 'node:sqlite';
import { fold, STOP_WORDS } from '../ranking/words.ts';
import { excerptAround } from './hit-excerpt.ts';
import { meantFilters } from './meant-filters.ts';
import { type CatalogQuery, matchExpression, parseQuery, type SearchTerm } from './query.ts';
import { type SearchParts, searchParts } from './search-filter.ts';
import { sessionsNamed, sessionsOf } from './search-names.ts';
import { searchNear } from './search-near.ts';
import { searchByRegex } from './search-regex.ts';
import {
  DEFAULT_LIMIT,
  type HitCounts,
  type SearchHit,
  type SearchLimits,
  type SearchRequest,
  type SearchResult,
} from './search-request.ts';
import { hitOf, MESSAGE, type SearchRow } from './search-rows.ts';
import type { TextRole } from './session-texts.ts';

/** Hits that are ranked at once, the newest of a common word. */
const RANKED_HITS = 20_000;
/** Filters look at more of them. */
const FILTERED_HITS = 80_000;
/** The best of them are sorted first. */
const FIRST_HITS = 400;
/** The share of the requested hits that may be sessions if messages follow. */
const NAMED_PART = 1 / 4;
const LEAST_NAMED = 3;
/** Counting ends here: it takes about a tenth of a second. */
const COUNTED_HITS = 10_000;
/** With fewer words a search names something, so that each counts: `git show`, `not found`. */
const SENTENCE_WORDS = 4;
/** With fewer hits than these, near ones follow. */
const FEW_HITS = 10;

const IN_RANGE = 'words MATCH ? AND w.rowid >= ?';
const RANK_FIRST = `
  SELECT id, rank FROM (
    SELECT w.rowid AS id, bm25(words) AS rank FROM words AS w
    WHERE ${IN_RANGE} ORDER BY w.rowid DESC LIMIT ${RANKED_HITS}
  ) ORDER BY rank, id DESC LIMIT ${FIRST_HITS}`;
/** The messages are read in the same query: one by one takes four times as long. */
const READ = `m.session, m.role, m.kind, m.tool, m.at, m.size
  FROM words AS w CROSS JOIN messages AS m ON m.id = w.rowid WHERE ${IN_RANGE}`;
const NTH = `SELECT w.rowid AS id FROM words AS w WHERE ${IN_RANGE} ORDER BY w.rowid DESC LIMIT 1 OFFSET ?`;
const SESSION = 'SELECT agent, id AS name, parent FROM sessions WHERE number = ?';

const CUT = 'SELECT count(*) AS n FROM messages WHERE cut = 1';

interface CatalogAnswer extends SearchResult {
  /** Whether a hit has all of the words, in any form: else another session may have them that is not indexed. */
  readonly hasAllWords: boolean;
}

/**
 * @throws OllmError USAGE if the request cannot be understood
 */
export function search(database: DatabaseSync, request: SearchRequest, limits: SearchLimits): CatalogAnswer {
  const asked = (wanted: SearchRequest) => searchIn(searchParts(database, wanted, limits), wanted, limits);
  const typed = asked(request);
  const meant = typed.hits.length > 0 || request.isExact ? undefined : meantFilters(database, request);
  const result = meant === undefined ? typed : (asMeant(asked(meant), meant.typed) ?? typed);
  const cut = Number(database.prepare(CUT).get()?.n);
  return cut === 0 ? result : { ...result, leftOut: [...result.leftOut, onlyEnds(cut)] };
}

/** The hits of a request as it was meant; undefined where there are none. */
function asMeant(result: CatalogAnswer, line: string): CatalogAnswer | undefined {
  if (result.hits.length === 0) return undefined;
  return {
    ...result,
    didYouMean: result.didYouMean ?? line,
    hits: result.hits.map((hit): SearchHit => ({ ...hit, isNear: true })),
    hasAllWords: false,
  };
}

function searchIn(parts: SearchParts, request: SearchRequest, limits: SearchLimits): CatalogAnswer {
  const { filter } = parts;
  if (!request.isRegex && (request.text.trim() !== '' || !filter.isNarrow)) return searchByWords(parts, request);
  const result =
    filter.isOfSessions && !request.isRegex
      ? sessionsOf(parts, request)
      : searchByRegex(parts, request.isRegex ? request : { ...request, text: '' }, limits);
  return answered(result);
}

function searchByWords(parts: SearchParts, request: SearchRequest): CatalogAnswer {
  const query = parseQuery(request.text);
  const { limit = DEFAULT_LIMIT } = request;
  const isFew = ({ hits }: SearchResult) => hits.length < Math.min(limit, FEW_HITS);
  const rarer = request.isExact ? undefined : withoutCommonWords(query);
  const isSentence = rarer !== undefined && query.terms.length >= SENTENCE_WORDS;
  const exact = withAllWords(parts, isSentence ? rarer : query, request);
  if (request.isExact || !isFew(exact) || query.terms.every((term) => term.isPhrase)) return answered(exact);
  const typed =
    rarer === undefined || isSentence ? exact : continued(exact, withAllWords(parts, rarer, request), limit);
  if (!isFew(typed)) return answered(typed);
  const known = new Set(typed.hits.map(({ address }) => address));
  const near = searchNear(parts, request, { known, limit: limit - typed.hits.length });
  const { hits, unknown, didYouMean, hasAllWords } = near;
  return {
    hits: [...typed.hits, ...hits].slice(0, limit),
    isCut: typed.isCut,
    leftOut: [...typed.leftOut, ...(unknown.length === 0 || hits.length === 0 ? [] : [inNoText(unknown)])],
    didYouMean,
    hasAllWords: hasAllWords || typed.hits.length > 0,
  };
}

function answered(result: SearchResult): CatalogAnswer {
  return { ...result, hasAllWords: result.hits.length > 0 };
}

/** The words that are not in nearly every text, as “the” and “did” are; undefined where these are all, or none. */
function withoutCommonWords(query: CatalogQuery): CatalogQuery | undefined {
  const isCommon = ({ text, isPhrase, isPrefix }: SearchTerm) => !isPhrase && !isPrefix && STOP_WORDS.has(fold(text));
  const terms = query.terms.filter((term) => !isCommon(term));
  return terms.length === 0 || terms.length === query.terms.length ? undefined : { ...query, terms };
}

/** The hits of a search, then further ones of a wider search, as near ones. */
function continued(first: SearchResult, wider: SearchResult, limit: number): SearchResult {
  const known = new Set(first.hits.map(({ address }) => address));
  const further = wider.hits.filter(({ address }) => !known.has(address));
  return { ...wider, hits: [...first.hits, ...further.map((hit) => ({ ...hit, isNear: true }))].slice(0, limit) };
}

function onlyEnds(texts: number): string {
  return `Of ${texts} ${texts === 1 ? 'text' : 'texts'} of more than 16 MiB only both ends are searched.`;
}

function inNoText(words: readonly string[]): string {
  return `In no text: ${words.join(', ')}.`;
}

function withAllWords(parts: SearchParts, query: CatalogQuery, request: SearchRequest): SearchResult {
  const { limit = DEFAULT_LIMIT } = request;
  const messages = messagesWith(parts, query, { limit, isCounted: request.isCounted === true });
  if (!parts.filter.isOfSessions) return messages;
  const { first, last } = sessionsNamed(parts, query, request);
  const most = Math.min(limit, Math.max(LEAST_NAMED, Math.floor(limit * NAMED_PART)));
  const hits = [...first.slice(0, most), ...messages.hits, ...first.slice(most), ...last];
  return { ...messages, hits: hits.slice(0, limit), isCut: messages.isCut || hits.length > limit };
}

function messagesWith(
  parts: SearchParts,
  query: CatalogQuery,
  { limit, isCounted }: { readonly limit: number; readonly isCounted: boolean },
): SearchResult {
  const { database, filter, repetitions, textOf } = parts;
  const rowOf = database.prepare(`${MESSAGE} WHERE m.id = ?`);
  const ranked = new RankedHits(parts, matchExpression(query));
  const hits: SearchHit[] = [];
  const isWanted = (found: SearchRow) => filter.passes(found) && !repetitions.isRepeated(found);
  let hasMore = false;
  for (const found of ranked.bestFirst()) {
    if (!isWanted(found)) continue;
    // A further hit shows that there are more.
    hasMore = hits.length === limit;
    const row = hasMore ? undefined : rowOf.get(found.id);
    if (row === undefined) break;
    hits.push(hitOf(row, { score: -found.rank, excerpt: excerptAround(textOf(row), query.terms) }));
  }
  const { looked } = ranked;
  return {
    hits,
    isCut: hasMore || looked !== undefined,
    leftOut: looked === undefined ? [] : [commonWords(looked)],
    counts: hasMore && isCounted ? countsOf(ranked, isWanted) : undefined,
  };
}

type RankedHit = SearchRow & { readonly id: number; readonly rank: number };

/** The newest hits of an expression, best first, with the columns that filters look at. */
class RankedHits {
  readonly #parts: SearchParts;
  readonly #expression: string;
  readonly #sessions = new Map<unknown, SearchRow | undefined>();
  /** The number of the newest hits that were looked at; undefined if these are all. */
  looked: number | undefined;

  constructor(parts: SearchParts, expression: string) {
    this.#parts = parts;
    this.#expression = expression;
  }

  /** Sorts only some of them, as long as no more are asked for. */
  *bestFirst(): Iterable<RankedHit> {
    const { database, filter } = this.#parts;
    const message = database.prepare(`${MESSAGE} WHERE m.id = ?`);
    const first = database.prepare(RANK_FIRST).all(this.#expression, filter.since) as unknown as RankedHit[];
    if (first.length === FIRST_HITS) this.#leastOf(RANKED_HITS);
    for (const { id, rank } of first) {
      const row = message.get(id);
      if (row !== undefined) yield { ...row, id, rank };
    }
    if (first.length < FIRST_HITS) return;
    const seen = new Set(first.map(({ id }) => id));
    for (const hit of this.#ranked()) if (!seen.has(hit.id)) yield hit;
  }

  *#ranked(): Iterable<RankedHit> {
    // The first condition is that on the kinds, which nearly all messages meet.
    const least = this.#leastOf(this.#parts.filter.conditions.length > 1 ? FILTERED_HITS : RANKED_HITS);
    const found = this.#read('w.rowid AS id, bm25(words) AS rank', least, RANKED_HITS + 1) as RankedHit[];
    if (found.length > RANKED_HITS) {
      this.looked = RANKED_HITS;
      found.pop();
    }
    found.sort((a, b) => a.rank - b.rank || b.id - a.id);
    for (const hit of found) yield { ...hit, ...this.#sessionOf(hit.session) };
  }

  /** The newest hits, without an order. */
  *newest(most: number): Iterable<SearchRow> {
    for (const hit of this.#read('w.rowid AS id', this.#parts.filter.since, most)) {
      yield { ...hit, ...this.#sessionOf(hit.session) };
    }
  }

  #read(columns: string, least: number, most: number): SearchRow[] {
    const { database, filter } = this.#parts;
    const { conditions } = filter;
    const where = conditions.map(({ sql }) => ` AND ${sql}`).join('');
    return database
      .prepare(`SELECT ${columns}, ${READ}${where} ORDER BY w.rowid DESC LIMIT ${most}`)
      .all(this.#expression, least, ...conditions.flatMap(({ values }) => values));
  }

  /** The least id of this number of the newest hits. */
  #leastOf(most: number): number {
    const { database, filter } = this.#parts;
    const next = database.prepare(NTH).get(this.#expression, filter.since, most);
    this.looked = next === undefined ? undefined : most;
    return next === undefined ? filter.since : Number(next.id) + 1;
  }

  #sessionOf(number: unknown): SearchRow | undefined {
    if (!this.#sessions.has(number)) {
      this.#sessions.set(number, this.#parts.database.prepare(SESSION).get(Number(number)));
    }
    return this.#sessions.get(number);
  }
}

/** Counts by role and session, for a bounded number of hits. */
function countsOf(ranked: RankedHits, isWanted: (found: SearchRow) => boolean): HitCounts {
  const roles: Partial<Record<TextRole, number>> = {};
  const sessions = new Set<unknown>();
  let looked = 0;
  let hits = 0;
  for (const found of ranked.newest(COUNTED_HITS + 1)) {
    looked += 1;
    if (looked > COUNTED_HITS || !isWanted(found)) continue;
    hits += 1;
    const role = found.role as TextRole;
    roles[role] = (roles[role] ?? 0) + 1;
    sessions.add(found.session);
  }
  return { hits, sessions: sessions.size, roles, isWhole: looked <= COUNTED_HITS };
}

function commonWords(looked: number): string {
  return `These words are very common: only the newest ${looked.toLocaleString('en')} messages with them were looked at.`;
}
