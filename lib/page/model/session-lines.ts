// The lines of the list of sessions: what is live on top, then by project or by time.
import type { SentSessionRow, SessionList } from '../api/types.ts';

/** Which sessions are listed; a member that is undefined leaves none out. */
export interface SessionFilter {
  /** '': those without a project. */
  readonly project: string | undefined;
  readonly agent: string | undefined;
  /** Sessions that were active in the last days. */
  readonly days: number | undefined;
}

export type SessionLine =
  | { readonly kind: 'live'; readonly count: number }
  | { readonly kind: 'group'; readonly name: string; readonly count: number; readonly isWhole: boolean }
  | { readonly kind: 'row'; readonly row: SentSessionRow };

/** The newest of each project that are shown at once: at least so many. */
const NEWEST = 3;
/** Few projects show more of each: so many rows in all. */
const ROWS_OF_ALL = 24;
const DAY_MS = 86_400_000;

export function isLive({ activity }: Pick<SentSessionRow, 'activity'>): boolean {
  return activity?.kind === 'running' || activity?.kind === 'waiting';
}

export function isListed(row: SentSessionRow, { project, agent, days }: SessionFilter, now: number): boolean {
  return (
    (project === undefined || (row.project ?? '') === project) &&
    (agent === undefined || row.agent === agent) &&
    (days === undefined || Date.parse(row.lastActivity ?? '') >= now - days * DAY_MS)
  );
}

/**
 * The rows of a list as they are now: `newest` was asked for later. What came is in front, what changed is changed in
 * its place, and what is gone is left out as far as the newest reach.
 */
export function withNewest(
  rows: readonly SentSessionRow[],
  newest: Pick<SessionList, 'sessions' | 'next'> | undefined,
  listed: (row: SentSessionRow) => boolean,
): readonly SentSessionRow[] {
  if (newest === undefined) return rows;
  const now = new Map(newest.sessions.map((row) => [row.address, row]));
  const oldest = newest.next === undefined ? '' : (newest.sessions.at(-1)?.lastActivity ?? '');
  const known = new Set(rows.map(({ address }) => address));
  // What is older than the first was left for a later page of the list.
  const first = rows[0]?.lastActivity ?? '';
  const came = newest.sessions.filter(
    (row) => !known.has(row.address) && (row.lastActivity ?? '') > first && listed(row),
  );
  const stayed = rows.flatMap((row) => {
    const present = now.get(row.address);
    if (present !== undefined) return [present];
    return (row.lastActivity ?? '') > oldest ? [] : [row];
  });
  return [...came, ...stayed];
}

export function linesOf(rows: readonly SentSessionRow[], order: 'project' | 'time'): readonly SessionLine[] {
  const live = rows.filter(isLive);
  const rest = rows.filter((row) => !isLive(row));
  const top: readonly SessionLine[] =
    live.length === 0
      ? []
      : [{ kind: 'live', count: live.length }, ...live.map((row) => ({ kind: 'row', row }) as const)];
  if (order === 'time') return [...top, ...rest.map((row) => ({ kind: 'row', row }) as const)];
  const groups = Map.groupBy(rest, ({ project }) => project ?? '');
  const newest = Math.max(NEWEST, Math.floor(ROWS_OF_ALL / groups.size));
  return [
    ...top,
    ...[...groups].flatMap(([name, members]): SessionLine[] => [
      { kind: 'group', name, count: members.length, isWhole: members.length <= newest },
      ...members.slice(0, newest).map((row): SessionLine => ({ kind: 'row', row })),
    ]),
  ];
}
