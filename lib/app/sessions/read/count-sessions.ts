// How many sessions there are, by project, by program and by day: queries of the table that a list with the same
// filters is a query of, so that the counts and the list cannot differ.
import { QUARTER_MS } from '../../../catalog/list-table.ts';
import type { App } from '../../app.ts';
import { type ListAllOptions, openList, type UnreadablePlace } from '../../list/list-all.ts';
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
  using list = await openList(app, options);
  const { unreadable, filter, memory } = list;
  const { table } = memory;
  const days = new Map<string, number>();
  for (const { quarter, sessions } of table.countsByQuarter(filter)) {
    const day = dayOf(quarter * QUARTER_MS);
    days.set(day, (days.get(day) ?? 0) + sessions);
  }
  const counts = table.counts(filter);
  return {
    total: counts.reduce((sum, { sessions }) => sum + sessions, 0),
    projects: sums(counts, ({ project }) => project).map(([project, count]) => ({ project, ...count })),
    agents: sums(counts, ({ agent }) => agent).map(([agent, count]) => ({ agent, ...count })),
    days: [...days].map(([day, sessions]) => ({ day, sessions })),
    unreadable,
  };
}

function sums<One extends SessionCount, Key>(counts: readonly One[], keyOf: (one: One) => Key): [Key, SessionCount][] {
  const found = new Map<Key, SessionCount>();
  const newestFirst = counts.toSorted((a, b) => ((a.lastActivity ?? '') < (b.lastActivity ?? '') ? 1 : -1));
  for (const one of newestFirst) {
    const known = found.get(keyOf(one));
    const { sessions, lastActivity } = known ?? one;
    found.set(keyOf(one), { sessions: known === undefined ? sessions : sessions + one.sessions, lastActivity });
  }
  return [...found];
}
