// How many sessions there are, by project, by program and by day: of the very rows that a list with the same filters
// has, so that the counts and the list cannot differ.
import type { App } from '../../app.ts';
import { type ListAllOptions, rowsInOrder, type UnreadablePlace } from '../../list/list-all.ts';
import { daysOf } from './days-of.ts';

export interface CountOptions
  extends Pick<ListAllOptions, 'agent' | 'project' | 'sinceMs' | 'withHidden' | 'memory' | 'signal'> {
  /** A name of the IANA data base, such as `Europe/Berlin`: whose days are counted. Default: UTC. */
  readonly zone?: string | undefined;
}

interface SessionCount {
  readonly sessions: number;
  /** RFC 3339: the newest activity of them, where any is known. */
  readonly lastActivity: string | undefined;
}

export interface SessionCounts {
  readonly total: number;
  /** The newest activity first. Those without a directory are under the one that has no `project`. */
  readonly projects: readonly (SessionCount & { readonly project: string | undefined })[];
  /** The newest activity first. */
  readonly agents: readonly (SessionCount & { readonly agent: string })[];
  /** By the last activity, the newest day first. Sessions without a time are in none. */
  readonly days: readonly { readonly day: string; readonly sessions: number }[];
  readonly unreadable: readonly UnreadablePlace[];
}

/**
 * @example
 * const { projects } = await countSessions(app, { agent: 'claude' });
 * @throws OllmError USAGE (an unknown time zone); and as `listAll`
 */
export async function countSessions(app: App, { zone = 'UTC', ...options }: CountOptions): Promise<SessionCounts> {
  const dayOf = daysOf(zone);
  const { rows, unreadable } = await rowsInOrder(app, options);
  const projects = new Map<string | undefined, SessionCount>();
  const agents = new Map<string, SessionCount>();
  const days = new Map<string, number>();
  for (const { agent, project, lastActivity } of rows) {
    count(projects, project, lastActivity);
    count(agents, agent, lastActivity);
    if (lastActivity === undefined) continue;
    const day = dayOf(Date.parse(lastActivity));
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  return {
    total: rows.length,
    projects: [...projects].map(([project, counted]) => ({ project, ...counted })),
    agents: [...agents].map(([agent, counted]) => ({ agent, ...counted })),
    days: [...days].map(([day, sessions]) => ({ day, sessions })),
    unreadable,
  };
}

/** The rows come in the order of their activity, the newest first. */
function count<Key>(counts: Map<Key, SessionCount>, key: Key, lastActivity: string | undefined): void {
  const known = counts.get(key);
  counts.set(key, { sessions: (known?.sessions ?? 0) + 1, lastActivity: known?.lastActivity ?? lastActivity });
}
