// How a list prints sessions for programs: a line of cells with tabs between them, or a JSON document.
import type { OwnSessionRow } from './session-row.ts';

/** For a pipe: id, activity, messages, model, title. */
export function cellsOf(row: OwnSessionRow): readonly unknown[] {
  return [row.id, row.lastActivity, row.messageCount, row.model, titleOf(row)];
}

/** The title, or why there is none, and what else must be known of the session. */
export function titleOf({ title: listed = '', problem, damaged, locked }: OwnSessionRow): string {
  const title = problem ?? listed;
  const marks = [...(damaged > 0 ? ['damaged'] : []), ...(locked ? ['open'] : [])];
  return marks.length > 0 ? `${title} (${marks.join(', ')})` : title;
}

/** For `--json`. */
export function documentOf({ id, bytes, modified, locked, summary, problem, damaged }: OwnSessionRow): object {
  if (!summary) return { id, bytes, modified, locked, problem, damaged };
  const { title, startTime, lastActivity, model, provider, messageCount, turnCount, tokenCount, cwd } = summary;
  return {
    id,
    title,
    startTime: startTime || undefined,
    lastActivity: lastActivity || undefined,
    model,
    provider,
    messageCount,
    turnCount,
    tokenCount,
    cwd,
    bytes,
    modified,
    locked,
    damaged,
    ...(problem === undefined ? {} : { problem }),
  };
}
