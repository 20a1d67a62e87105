// `ollm stats` and the page's Cost view: the numbers over all sessions of all programs, as a sync counts them.
import type { DatabaseSync } from 'node:sqlite';
import { OWN_AGENT } from '../../../catalog/catalog.ts';
import { type CountedSession, countedSince } from '../../../catalog/counted.ts';
import { OllmError } from '../../../errors/index.ts';
import { subagentsIn } from '../../../session/subagent-id.ts';
import type { App } from '../../app.ts';
import { requireAgent } from '../../find/require-agent.ts';
import { askSynced } from '../../import/ask-synced.ts';
import { handedCopies } from '../../list/handover-copies.ts';
import { reachOfProject } from '../../repository/project-reach.ts';
import { projectNames } from './project-names.ts';
import { DIMENSIONS, type Dimension, type Figures, type StatsQuery, type StatsRow, sumStats } from './sum-stats.ts';

export interface Stats {
  /** RFC 3339. Absent where everything is counted. */
  readonly since: string | undefined;
  readonly by: readonly Dimension[];
  readonly rows: readonly StatsRow[];
  /** Over all rows. A session that is in several rows counts once. */
  readonly total: Figures;
  /** Sentences about the sessions that were not counted. */
  readonly leftOut: readonly string[];
}

export interface StatsRequest extends Omit<StatsQuery, 'projects'> {
  /** Only of sessions in this directory or below, and in the other worktrees and clones of its repository. */
  readonly project?: string | undefined;
  /** Milliseconds since 1970. Default: all rows, those without a time too. */
  readonly sinceMs?: number | undefined;
  /** At most this many rows, the greatest. Default: all. */
  readonly limit?: number | undefined;
}

interface StatsOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long changed sessions are read first. */
  readonly syncMs?: number | undefined;
}

const SYNC_MS = 1_000;
/** A table by more has a row for each session. */
const MOST_DIMENSIONS = 2;

/**
 * @example
 * const { rows, total } = await stats(app, { by: ['model'], sinceMs: Date.now() - 30 * 86_400_000 });
 * @throws OllmError USAGE (the request cannot be understood), IO_FAILED (the catalogue cannot be used)
 */
export async function stats(
  app: App,
  { sinceMs = 0, project, limit, ...query }: StatsRequest,
  { signal, syncMs = SYNC_MS }: StatsOptions = {},
): Promise<Stats> {
  requireFew(query.by);
  if (query.agent !== undefined) requireAgent(query.agent);
  const ask = { signal, syncMs };
  const counted = (database: DatabaseSync) =>
    countedSince(database, sinceMs, { ownAgent: OWN_AGENT, copies: handedCopies(app) });
  const { value, leftOut } = await askSynced(app, (database) => counted(database), ask);
  const projects = project === undefined ? undefined : directoriesOf(app, project, value.sessions);
  const own = subagentsIn(value.sessions.flatMap(({ agent, id }) => (agent === OWN_AGENT ? [id] : [])));
  const isSubagent = ({ agent, id, parent }: CountedSession) =>
    agent === OWN_AGENT ? own.has(id) : parent !== null && parent !== id;
  const names = query.by.includes('project') ? projectNames(app.fileSystem, value.sessions) : undefined;
  const projectOf = ({ project: directory }: CountedSession) => names?.get(directory ?? '') ?? directory;
  const counts = { ...value, isSubagent, projectOf };
  const { rows, total } = sumStats(counts, { prices: app.config.prices, ...query, projects });
  return {
    since: sinceMs === 0 ? undefined : new Date(sinceMs).toISOString(),
    by: query.by,
    rows: rows.slice(0, limit),
    total,
    leftOut,
  };
}

function directoriesOf(app: App, project: string, sessions: readonly CountedSession[]): readonly string[] {
  const { roots, remote } = reachOfProject(app.fileSystem, project);
  const clones = sessions.flatMap((each) =>
    remote !== undefined && each.remote === remote ? (each.project ?? []) : [],
  );
  return [...new Set([...roots, ...clones])];
}

function requireFew(by: readonly Dimension[]): void {
  if (by.length > 0 && by.length <= MOST_DIMENSIONS && new Set(by).size === by.length) return;
  throw new OllmError(
    'USAGE',
    `Numbers are added up by one or two of ${new Intl.ListFormat('en').format(DIMENSIONS)}.`,
    {
      hint: 'For example: day, or project,model.',
    },
  );
}
