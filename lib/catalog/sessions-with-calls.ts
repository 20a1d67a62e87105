// Sessions of which a call names a word, such as the name of a file: where a caller looks further by reading them.
import type { DatabaseSync } from 'node:sqlite';
import { hasWords } from './prepared-text.ts';
import { matchExpression, parseQuery } from './query.ts';

interface CallsRequest {
  /** In this order, next to each other. */
  readonly phrase: string;
  readonly agent?: string | undefined;
  /** A directory, absolute: sessions in it or below it. */
  readonly project: string;
  /** Adds the sessions of each directory in which a session works on this repository: see gitRemote. */
  readonly remote?: string | undefined;
}

export interface CallingSession {
  readonly agent: string;
  readonly id: string;
  /** Id of the session of which a call began this one, or of which it is a fork. */
  readonly parent: string | undefined;
  /** Whether it began as a copy of another one. */
  readonly isFork: boolean;
  /** Whether its source has vanished. */
  readonly isGone: boolean;
}

const CALLING = `
  WITH roots AS (SELECT ?3 AS root UNION SELECT project FROM sessions WHERE remote = ?4)
  SELECT agent, id, parent, forked_from IS NOT NULL AS fork, state FROM sessions
  WHERE number IN (
    SELECT m.session FROM words JOIN messages m ON m.id = words.rowid WHERE words MATCH ?1 AND m.kind = 'call'
  ) AND (?2 IS NULL OR agent = ?2) AND EXISTS (
    SELECT 1 FROM roots WHERE project = root OR substr(project, 1, length(rtrim(root, '/')) + 1) = rtrim(root, '/') || '/'
  )
  ORDER BY last_activity DESC`;

/** Latest activity first; none where the phrase has no word. */
export function sessionsWithCalls(
  database: DatabaseSync,
  { phrase, agent, project, remote }: CallsRequest,
): CallingSession[] {
  if (!hasWords(phrase)) return [];
  const expression = matchExpression(parseQuery(`"${phrase.replaceAll('"', ' ')}"`));
  return database
    .prepare(CALLING)
    .all(expression, agent ?? null, project, remote ?? null)
    .map((row) => ({
      agent: String(row.agent),
      id: String(row.id),
      parent: row.parent === null ? undefined : String(row.parent),
      isFork: row.fork === 1,
      isGone: row.state === 'gone',
    }));
}
