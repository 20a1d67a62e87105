// Searches the catalogue: sessions by their names and messages by their words, best first, or messages by a regular
// expression, newest first. The work is bounded: very common words are ranked only among the newest hits. A result
// tells when hits were left out.
import type { DatabaseSync } from 'node:sqlite';
import { excerptAround } from './excerpt.ts';
import { type CatalogQuery, matchExpression, parseQuery } from './query.ts';
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
/** How often older ones are ranked where filters let too few pass. */
const ROUNDS = 5;
/** The share of the requested hits that may be sessions if messages follow. */
const NAMED_PART = 1 / 4;
const LEAST_NAMED = 3;
/** Counting ends here: it takes about a tenth of a second. */
const COUNTED_HITS = 10_000;
/** With fewer hits than these, near ones follow. */
const FEW_HITS = 10;

const RANK = `
  SELECT rowid AS id, bm25(words) AS rank FROM words
  WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ${RANKED_HITS + 1}`;

const CUT = 'SELECT count(*) AS n FROM messages WHERE cut = 1';

/**
 * @throws OllmError USAGE if the request cannot be understood
 */
export function search(database: DatabaseSync, request: SearchRequest, limits: SearchLimits): SearchResult {
  const parts = searchParts(database, request, limits);
  const result = searchIn(parts, request, limits);
  const cut = Number(database.prepare(CUT).get()?.n);
  return cut === 0 ? result : { ...result, leftOut: [...result.leftOut, onlyEnds(cut)] };
}

function searchIn(parts: SearchParts, request: SearchRequest, limits: SearchLimits): SearchResult {
  const { filter } = parts;
  if (request.isRegex) return searchByRegex(parts, request, limits);
  if (request.text.trim() !== '' || !filter.isNarrow) return searchByWords(parts, request);
  return filter.isOfSessions ? sessionsOf(parts, request) : searchByRegex(parts, { ...request, text: '' }, limits);
}

function searchByWords(parts: SearchParts, request: SearchRequest): SearchResult {
  const query = parseQuery(request.text);
  const { limit = DEFAULT_LIMIT } = request;
  const exact = withAllWords(parts, query, request);
  if (request.isExact || exact.hits.length >= Math.min(limit, FEW_HITS) || query.terms.every((term) => term.isPhrase))
    return exact;
  const known = new Set(exact.hits.map(({ address }) => address));
  const { hits, unknown, didYouMean } = searchNear(parts, request, { known, limit: limit - exact.hits.length });
  return {
    hits: [...exact.hits, ...hits].slice(0, limit),
    isCut: exact.isCut,
    leftOut: [...exact.leftOut, ...(unknown.length === 0 || hits.length === 0 ? [] : [inNoText(unknown)])],
    didYouMean,
  };
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
  { database, filter, repetitions, textOf }: SearchParts,
  query: CatalogQuery,
  { limit, isCounted }: { readonly limit: number; readonly isCounted: boolean },
): SearchResult {
  const expression = matchExpression(query);
  const rank = database.prepare(RANK);
  const rowOf = database.prepare(`${MESSAGE} WHERE m.id = ?`);
  const hits: SearchHit[] = [];
  const leftOut: string[] = [];
  const counter = new HitCounter();
  let below = Number.MAX_SAFE_INTEGER;
  for (let round = 1; ; round += 1) {
    const found = rank.all(expression, filter.since, below) as { readonly id: number; readonly rank: number }[];
    const isAll = found.length <= RANKED_HITS;
    const ranked = found.slice(0, RANKED_HITS);
    ranked.sort((a, b) => a.rank - b.rank || b.id - a.id);
    for (const { id, rank: score } of ranked) {
      const row = rowOf.get(id);
      if (row === undefined || !filter.passes(row) || repetitions.isRepeated(row)) continue;
      if (isCounted) counter.add(row);
      // A further hit shows that there are more.
      if (hits.length === limit && !isCounted) return { hits, isCut: true, leftOut: leftOutOf(isAll, round) };
      if (hits.length === limit && !counter.mayGoOn()) {
        return { hits, isCut: true, leftOut: leftOutOf(isAll, round), counts: counter.counts(false) };
      }
      if (hits.length < limit)
        hits.push(hitOf(row, { score: -score, excerpt: excerptAround(textOf(row), query.terms) }));
    }
    const counts = isCounted && counter.hits > hits.length ? counter.counts(isAll) : undefined;
    if (isAll) return { hits, isCut: counts !== undefined, leftOut, counts };
    if (round === ROUNDS || hits.length >= limit) {
      return { hits, isCut: true, leftOut: leftOutOf(false, round), counts };
    }
    below = found.at(-1)!.id + 1;
  }
}

/** Counts by role and session, for a bounded number of hits. */
class HitCounter {
  hits = 0;
  readonly #roles: Partial<Record<TextRole, number>> = {};
  readonly #sessions = new Set<unknown>();

  add({ role, session }: SearchRow): void {
    this.hits += 1;
    this.#roles[role as TextRole] = (this.#roles[role as TextRole] ?? 0) + 1;
    this.#sessions.add(session);
  }

  mayGoOn(): boolean {
    return this.hits < COUNTED_HITS;
  }

  counts(isWhole: boolean): HitCounts {
    return { hits: this.hits, sessions: this.#sessions.size, roles: this.#roles, isWhole };
  }
}

function leftOutOf(isAll: boolean, rounds: number): readonly string[] {
  return isAll ? [] : [commonWords(rounds)];
}

function commonWords(rounds: number): string {
  const ranked = (rounds * RANKED_HITS).toLocaleString('en');
  return `These words are very common: only the newest ${ranked} messages with them were looked at.`;
}
