// The rows of the catalogue that count requests, turns and calls, and their sums. What several sessions hold a copy of
// is counted in the one that began first; the copied part of a session that was handed over, in its source.
import type { DatabaseSync } from 'node:sqlite';
import { partsOf } from './address-parts.ts';
import { type CopyOf, knownCopies } from './copies.ts';
import type { CountKind, CountRow } from './session-counts.ts';

/** What one session has of one kind, with one model and tool, in a quarter of an hour. */
export interface CountedSum {
  readonly session: number;
  readonly kind: CountKind;
  /** Milliseconds since 1970: the beginning of the quarter; 0 where it is not known. */
  readonly at: number;
  readonly model: string | null;
  readonly tool: string | null;
  readonly rows: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
  /** US dollars, of the rows that have a price. */
  readonly cost: number | null;
  readonly priced: number;
  /** Milliseconds, of the rows that have a time. */
  readonly took: number | null;
  readonly paused: number | null;
  readonly failed: number;
}

/** A session that something is counted of. */
export interface CountedSession {
  readonly number: number;
  readonly agent: string;
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  /** See gitRemote. */
  readonly remote: string | null;
  /** See schema.ts. */
  readonly parent: string | null;
}

const STORE = 'INSERT OR REPLACE INTO counted VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** The offset of each time zone is a multiple of it. */
const QUARTER_MS = 900_000;

/** Imports are the last of those that began at one time, so that the program of a session is the one that made it. */
const SUMS = `
  SELECT session, kind, at / ${QUARTER_MS} * ${QUARTER_MS} AS at, model, tool, count(*) AS rows, sum(input) AS input,
    sum(output) AS output, sum(cached) AS cached, sum(cost) AS cost, count(cost) AS priced, sum(took) AS took,
    sum(paused) AS paused, total(failed) AS failed
  FROM (
    SELECT c.*, row_number() OVER (
      PARTITION BY c.record ORDER BY s.started IS NULL, s.started, s.agent = ?1, s.agent, s.id, s.directory
    ) AS place
    FROM counted c JOIN sessions s ON s.number = c.session LEFT JOIN (
      SELECT copy.number AS session, value ->> 4 AS until FROM json_each(?3)
      CROSS JOIN sessions copy ON copy.agent = value ->> 0 AND copy.id = value ->> 1
      CROSS JOIN sessions source ON source.agent = value ->> 2 AND source.id = value ->> 3
    ) copied ON copied.session = c.session
    WHERE c.at >= ?2 AND (until IS NULL OR c.at > until)
  ) WHERE place = 1 GROUP BY session, kind, 3, model, tool`;
const SESSIONS = 'SELECT number, agent, id, title, project, remote, parent FROM sessions';

export function storeCounted(database: DatabaseSync, session: number, rows: readonly CountRow[]): void {
  const store = database.prepare(STORE);
  for (const row of new Map(rows.map((each) => [each.record, each])).values()) {
    const { record, seq, kind, at, model = null, tool = null, failed } = row;
    const { inputTokens = null, outputTokens = null, cachedTokens = null, cost = null } = row;
    const { tookMs = null, pausedMs = null } = row;
    const figures = [inputTokens, outputTokens, cachedTokens, cost, tookMs, pausedMs, failed ? 1 : 0] as const;
    store.run(session, record, seq, kind, at, model, tool, ...figures);
  }
}

/** Removes the rows of a session with a higher seq. */
export function removeCounted(database: DatabaseSync, session: number, seq: number): void {
  database.prepare('DELETE FROM counted WHERE session = ? AND seq > ?').run(session, seq);
}

interface CountingOptions {
  readonly ownAgent: string;
  /** The copies in the list of handovers, by `agent:id`. */
  readonly copies?: ReadonlyMap<string, CopyOf> | undefined;
}

/** `sinceMs`: 0 for all rows, those without a time too. */
export function countedSince(
  database: DatabaseSync,
  sinceMs: number,
  { ownAgent, copies }: CountingOptions,
): { readonly sums: readonly CountedSum[]; readonly sessions: readonly CountedSession[] } {
  const listed = JSON.stringify(
    [...knownCopies(database, copies)].map(([address, { from, untilMs }]) => [
      ...partsOf(address),
      ...partsOf(from),
      untilMs,
    ]),
  );
  return {
    sums: database.prepare(SUMS).all(ownAgent, sinceMs, listed) as unknown as CountedSum[],
    sessions: database.prepare(SESSIONS).all() as unknown as CountedSession[],
  };
}
