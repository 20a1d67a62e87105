// Searches what the catalogue knows: messages with the words, best first, or by a regular expression, newest first. The
// work is bounded: very common words are ranked among the newest hits alone, and a regular expression has a time limit.
// A result says what was left out.
import type { DatabaseSync } from 'node:sqlite';
import { OllmError } from '../errors/index.ts';
import type { Clock } from '../platform/clock.ts';
import { withinTime } from '../platform/time-limit.ts';
import { OWN_AGENT } from './catalog.ts';
import { type Excerpt, excerptAround, excerptAt } from './excerpt.ts';
import { livesIn } from './live-rows.ts';
import { idBefore, timeOfId } from './message-id.ts';
import { matchExpression, parseQuery } from './query.ts';
import { type ImportedId, repeatedHits } from './repeated-hits.ts';
import type { TextKind, TextRole } from './session-texts.ts';

export interface SearchRequest {
  /** Words as a person types them, or a regular expression. */
  readonly text: string;
  readonly isRegex?: boolean | undefined;
  readonly agent?: string | undefined;
  /** A directory, absolute: sessions in it or below it. */
  readonly project?: string | undefined;
  /** Also sessions in or below each directory in which a session works on this repository: see gitRemote. */
  readonly remote?: string | undefined;
  readonly role?: TextRole | undefined;
  /** Milliseconds since 1970: not before. */
  readonly sinceMs?: number | undefined;
  /** Default: what was said and done. Reasoning and what programs injected are found where they are named here. */
  readonly kinds?: readonly TextKind[] | undefined;
  /** Sessions that are left out, as `agent:id`. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Default: 20. */
  readonly limit?: number | undefined;
}

/** A message that was found. */
export interface SearchHit {
  /** `agent:id#KEY`. */
  readonly address: string;
  readonly agent: string;
  readonly id: string;
  readonly key: string;
  /** Of its event. */
  readonly seq: number;
  readonly title: string | undefined;
  readonly project: string | undefined;
  readonly role: TextRole;
  readonly kind: TextKind;
  /** RFC 3339. */
  readonly at: string | undefined;
  /** Higher is better; 0 where nothing was ranked. */
  readonly score: number;
  /** Whether it counts in its session; false for what was undone. */
  readonly live: boolean;
  /** Whether the source of its session has vanished. */
  readonly gone: boolean;
  readonly excerpt: Excerpt;
}

interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** There are more hits than were asked for. */
  readonly isCut: boolean;
  /** What was not looked at, one sentence each. */
  readonly leftOut: readonly string[];
}

interface SearchLimits {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of a regular expression, over all texts. Default: 10 s. */
  readonly regexMs?: number | undefined;
  /** Where it is given, a message of an import is left out if its source says the same. */
  readonly importedId?: ImportedId | undefined;
}

const DEFAULT_LIMIT = 20;
const DEFAULT_KINDS: readonly TextKind[] = ['text', 'call', 'output'];
/** Hits that are ranked at once, the newest of a common word. */
const RANKED_HITS = 20_000;
/** How often older ones are ranked where filters let too few pass. */
const ROUNDS = 5;
const ROWS_PER_READ = 500;
const REGEX_MS = 10_000;
const REGEX_BATCH_MS = 1_000;
const MAX_ID = Number.MAX_SAFE_INTEGER;

const RANK = `
  SELECT rowid AS id, bm25(words) AS rank FROM words
  WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ${RANKED_HITS + 1}`;
const SESSIONS = `
  WITH roots AS (SELECT ?2 AS root UNION SELECT project FROM sessions WHERE remote = ?3)
  SELECT number FROM sessions
  WHERE (?1 IS NULL OR agent = ?1) AND (?2 IS NULL OR EXISTS (
    SELECT 1 FROM roots WHERE project = root OR substr(project, 1, length(rtrim(root, '/')) + 1) = rtrim(root, '/') || '/'
  ))`;
const ROW = `
  SELECT m.id, m.session, m.seq, m.key, m.role, m.at, m.kind, m.text, s.agent, s.id AS name, s.title, s.project,
    s.state, s.branches
  FROM messages m JOIN sessions s ON s.number = m.session`;

/**
 * @throws OllmError USAGE if the request cannot be understood
 */
export function search(database: DatabaseSync, request: SearchRequest, limits: SearchLimits): SearchResult {
  return request.isRegex ? searchByRegex(database, request, limits) : searchByWords(database, request, limits);
}

interface Filter {
  readonly since: number;
  passes(row: Readonly<Record<string, unknown>>): boolean;
}

type Row = Readonly<Record<string, unknown>>;

function searchByWords(database: DatabaseSync, request: SearchRequest, limits: SearchLimits): SearchResult {
  const query = parseQuery(request.text);
  const { limit = DEFAULT_LIMIT } = request;
  const filter = filterOf(database, request);
  const isRepeated = repetitionsOf(database, request, limits);
  const expression = matchExpression(query);
  const rank = database.prepare(RANK);
  const rowOf = database.prepare(`${ROW} WHERE m.id = ?`);
  const hits: SearchHit[] = [];
  const leftOut: string[] = [];
  let below = MAX_ID;
  for (let round = 1; ; round += 1) {
    const found = rank.all(expression, filter.since, below) as { readonly id: number; readonly rank: number }[];
    const isAll = found.length <= RANKED_HITS;
    const ranked = found.slice(0, RANKED_HITS);
    ranked.sort((a, b) => a.rank - b.rank || b.id - a.id);
    for (const { id, rank: score } of ranked) {
      const row = rowOf.get(id);
      if (row === undefined || !filter.passes(row) || isRepeated(row)) continue;
      // One more shows that there are more.
      if (hits.length === limit) return { hits, isCut: true, leftOut: isAll ? leftOut : [commonWords(round)] };
      hits.push(hitOf(row, { score: -score, excerpt: excerptAround(String(row.text), query.terms) }));
    }
    if (isAll) return { hits, isCut: false, leftOut };
    if (round === ROUNDS || hits.length >= limit) return { hits, isCut: true, leftOut: [commonWords(round)] };
    below = found.at(-1)!.id + 1;
  }
}

function commonWords(rounds: number): string {
  const ranked = (rounds * RANKED_HITS).toLocaleString('en');
  return `These words are very common: only the newest ${ranked} messages with them were looked at.`;
}

function searchByRegex(database: DatabaseSync, request: SearchRequest, limits: SearchLimits): SearchResult {
  const { clock, regexMs = REGEX_MS } = limits;
  const isRepeated = repetitionsOf(database, request, limits);
  const pattern = patternOf(request.text);
  const { limit = DEFAULT_LIMIT } = request;
  const filter = filterOf(database, request);
  const next = database.prepare(`${ROW} WHERE m.id < ? AND m.id >= ? ORDER BY m.id DESC LIMIT ${ROWS_PER_READ}`);
  const hits: SearchHit[] = [];
  const end = clock.monotonic() + regexMs;
  let skipped = 0;
  let below = MAX_ID;
  const result = (isCut: boolean, unread?: number): SearchResult => ({
    // Ids are in the order of time to the second.
    hits: hits.toSorted(({ at: a = '' }, { at: b = '' }) => (a < b ? 1 : a > b ? -1 : 0)),
    isCut,
    leftOut: [
      ...(unread === undefined ? [] : [`The time was over: what is older than ${timeOfId(unread)} was not searched.`]),
      ...(skipped === 0 ? [] : [`The expression took too long in ${skipped} of the messages, which were passed over.`]),
    ],
  });
  for (;;) {
    const read = next.all(below, filter.since);
    if (read.length === 0) return result(false);
    below = Number(read.at(-1)!.id);
    const rows = read.filter(filter.passes);
    for (let at = 0; at < rows.length; ) {
      if (clock.monotonic() >= end) return result(true, Number(rows[at]!.id));
      const matches: { readonly row: Row; readonly start: number; readonly length: number }[] = [];
      const outcome = withinTime(REGEX_BATCH_MS, () => {
        for (; at < rows.length; at += 1) {
          const match = pattern.exec(String(rows[at]!.text));
          if (match !== null) matches.push({ row: rows[at]!, start: match.index, length: match[0].length });
        }
      });
      for (const { row, start, length } of matches) {
        if (isRepeated(row)) continue;
        if (hits.length === limit) return result(true);
        hits.push(hitOf(row, { score: 0, excerpt: excerptAt(String(row.text), start, start + length) }));
      }
      if ('stopped' in outcome) {
        skipped += 1;
        at += 1;
      }
    }
  }
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'iu');
  } catch {
    // Some are only valid without the flag, such as those that escape what needs no escape.
  }
  try {
    return new RegExp(source, 'i');
  } catch (cause) {
    throw new OllmError('USAGE', `${(cause as Error).message}.`, {
      hint: 'Correct it, or leave out --regex to search for words.',
      cause,
    });
  }
}

/** Imports are searched by themselves where sessions of ours alone are asked for. */
function repetitionsOf(
  database: DatabaseSync,
  { agent }: SearchRequest,
  { importedId }: SearchLimits,
): (row: Row) => boolean {
  return agent !== undefined || importedId === undefined ? () => false : repeatedHits(database, OWN_AGENT, importedId);
}

function filterOf(database: DatabaseSync, request: SearchRequest): Filter {
  const { agent, project, role, without, sinceMs = 0 } = request;
  const { kinds = role === 'system' ? ALL_SAID : DEFAULT_KINDS } = request;
  const sessions = agent === undefined && project === undefined ? undefined : sessionsOf(database, request);
  return {
    since: idBefore(sinceMs),
    passes: ({ session, role: said, kind, at, agent: from, name }) =>
      kinds.includes(kind as TextKind) &&
      (role === undefined || said === role) &&
      Number(at) >= sinceMs &&
      (sessions === undefined || sessions.has(Number(session))) &&
      (without === undefined || !without.has(`${from}:${name}`)),
  };
}

/** A system prompt is one of the injected messages. */
const ALL_SAID: readonly TextKind[] = [...DEFAULT_KINDS, 'injected'];

function sessionsOf(database: DatabaseSync, { agent, project, remote }: SearchRequest): Set<number> {
  const rows = database.prepare(SESSIONS).all(agent ?? null, project ?? null, remote ?? null);
  return new Set(rows.map(({ number }) => Number(number)));
}

function hitOf(row: Row, { score, excerpt }: Pick<SearchHit, 'score' | 'excerpt'>): SearchHit {
  const [agent, id, key] = [String(row.agent), String(row.name), String(row.key ?? row.seq)];
  return {
    address: `${agent}:${id}#${key}`,
    agent,
    id,
    key,
    seq: Number(row.seq),
    title: row.title === null ? undefined : String(row.title),
    project: row.project === null ? undefined : String(row.project),
    role: row.role as TextRole,
    kind: row.kind as TextKind,
    // 0 is stored where the source has no time.
    at: Number(row.at) === 0 ? undefined : new Date(Number(row.at)).toISOString(),
    score,
    live: livesIn(row.branches)(Number(row.seq)),
    gone: row.state === 'gone',
    excerpt,
  };
}
