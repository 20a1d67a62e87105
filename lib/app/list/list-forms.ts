// How a list prints sessions for programs: a line of cells with tabs between them, or a JSON document.
import { printableLine } from '../../display/printable.ts';
import { listedTitle } from './listed-title.ts';
import { activityOf, type SessionRow } from './session-row.ts';

/** For a pipe: id, activity, messages, model, title. */
export function tabbedLine(row: SessionRow): string {
  const { summary } = row;
  const [activity, model, title] = [activityOf(row), summary?.model ?? '', titleOf(row)].map(printableLine);
  return `${row.id}\t${activity}\t${summary?.messageCount ?? ''}\t${model}\t${title}`;
}

/** The title, or why there is none, and what else must be known of the session. */
export function titleOf({ id, summary, problem, damaged, locked }: SessionRow): string {
  const title = problem ?? listedTitle(id, summary) ?? '';
  const marks = [...(damaged > 0 ? ['damaged'] : []), ...(locked ? ['open'] : [])];
  return marks.length > 0 ? `${title} (${marks.join(', ')})` : title;
}

/** For `--json`. */
export function documentOf({ id, bytes, modified, locked, summary, problem, damaged }: SessionRow): object {
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
