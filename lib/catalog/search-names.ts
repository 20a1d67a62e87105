// Searches the names of sessions: the title, the branch and the directory that they worked in.
import type { DatabaseSync } from 'node:sqlite';
import { type Excerpt, excerptAround, holdsAll } from './hit-excerpt.ts';
import { type CatalogQuery, matchExpression } from './query.ts';
import { isAmong, type SearchParts } from './search-filter.ts';
import { DEFAULT_LIMIT, type SearchHit, type SearchRequest, type SearchResult } from './search-request.ts';
import { type SearchRow, textOf, timeOf } from './search-rows.ts';

/** Sessions whose name has all words of a search. */
interface NamedSessions {
  /** By title or branch, best first. */
  readonly first: readonly SearchHit[];
  /** By their project only, which many sessions share. */
  readonly last: readonly SearchHit[];
}

const SESSION = `
  SELECT number, agent, id, parent, title, project, branch, last_activity AS at, state, program_id AS programId FROM sessions`;
/** A title says more than a branch, and a branch more than a directory. */
const BY_NAME = `
  SELECT rowid AS number, -bm25(names, 4, 1, 1, 2) AS score FROM names WHERE names MATCH ?
  ORDER BY score DESC, rowid DESC LIMIT 1000`;
const NEWEST = `
  ${SESSION} WHERE (?1 IS NULL OR number IN (SELECT value FROM json_each(?1))) AND coalesce(last_activity, 0) >= ?2
  ORDER BY last_activity DESC, number DESC`;

export function sessionsNamed(parts: SearchParts, query: CatalogQuery, request: SearchRequest): NamedSessions {
  const { database } = parts;
  const named = database.prepare(BY_NAME).all(`{title project branch} : (${matchExpression(query)})`);
  const hits = namedHits(parts, [...calledByUser(database, query, request), ...named], query, request);
  return { first: hits.filter(({ why }) => why !== 'project'), last: hits.filter(({ why }) => why === 'project') };
}

/** The sessions with these numbers, as far as they are wanted, each once. */
export function namedHits(
  parts: SearchParts,
  found: readonly SearchRow[],
  query: CatalogQuery,
  request: SearchRequest,
): readonly SearchHit[] {
  const byNumber = parts.database.prepare(`${SESSION} WHERE number = ?`);
  const seen = new Set<unknown>();
  return found.flatMap(({ number, score }) => {
    const row = seen.has(number) ? undefined : byNumber.get(Number(number));
    seen.add(number);
    return row !== undefined && isWanted(row, parts, request) ? [hitOf(row, query, Number(score), request)] : [];
  });
}

/** All sessions that are asked for by more than words, the one that was used last first. */
export function sessionsOf(parts: SearchParts, request: SearchRequest): SearchResult {
  const { filter, database } = parts;
  const { limit = DEFAULT_LIMIT } = request;
  const numbers = filter.sessions === undefined ? null : JSON.stringify([...filter.sessions]);
  const rows = database
    .prepare(NEWEST)
    .all(numbers, filter.sinceMs)
    .filter((row) => isWanted(row, parts, request));
  const none: CatalogQuery = { terms: [], without: [] };
  const hits = rows.slice(0, limit).map((row): SearchHit => ({ ...hitOf(row, none, 0, request), why: 'filter' }));
  return { hits, isCut: rows.length > limit, leftOut: [] };
}

/** Titles that the user gave to sessions of other programs are in a file, and not in the catalogue. */
function calledByUser(
  database: DatabaseSync,
  { terms, without }: CatalogQuery,
  { userTitles }: SearchRequest,
): SearchRow[] {
  const find = database.prepare(`${SESSION} WHERE agent = ? AND id = ?`);
  return [...(userTitles ?? [])].flatMap(([address, title]) => {
    if (!holdsAll(title, terms) || without.some((term) => holdsAll(title, [term]))) return [];
    const colon = address.indexOf(':');
    return find.all(address.slice(0, colon), address.slice(colon + 1)).map(({ number }) => ({ number, score: 0 }));
  });
}

function isWanted(
  { number, agent, id, parent, at }: SearchRow,
  { filter, repetitions }: SearchParts,
  { without }: SearchRequest,
) {
  const session = { agent: String(agent), id: String(id) };
  return (
    (filter.sessions === undefined || filter.sessions.has(Number(number))) &&
    Number(at) >= filter.sinceMs &&
    !isAmong(without, { agent, id, parent }) &&
    !repetitions.hasSource({ ...session, lastMs: Number(at) })
  );
}

function hitOf(row: SearchRow, { terms }: CatalogQuery, score: number, { userTitles }: SearchRequest): SearchHit {
  const address = `${row.agent}:${row.id}`;
  const title = userTitles?.get(address) ?? textOf(row.title);
  const project = textOf(row.project);
  const inName = (name: string | undefined) => excerptAround(name ?? '', terms);
  const names: readonly (readonly [SearchHit['why'], Excerpt])[] = [
    ['title', inName(title)],
    ['branch', inName(textOf(row.branch))],
    ['project', inName(project)],
  ];
  const [why, excerpt] = names.find(([, { marks }]) => marks.length > 0) ?? names[0]!;
  return {
    address,
    agent: String(row.agent),
    id: String(row.id),
    programId: textOf(row.programId),
    key: undefined,
    seq: undefined,
    title,
    project,
    role: undefined,
    kind: 'session',
    why,
    at: timeOf(row.at),
    score,
    isNear: false,
    live: true,
    gone: row.state === 'gone',
    excerpt,
  };
}
