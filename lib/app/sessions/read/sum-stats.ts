// The numbers over all sessions, from the sums of the catalogue: by day, project, program, model, tool or
// session. Pure.
// A figure that no row states is absent, and is never a 0.
import type { CountedSession, CountedSum } from '../../../catalog/counted.ts';
import { isOfDirectory } from '../../../platform/files/inside.ts';
import { costOf, type UserPrices } from '../../../providers/prices.ts';
import { compareTexts } from '../../list/session-row.ts';
import { daysOf, hoursOf } from './days-of.ts';

export const DIMENSIONS = ['day', 'hour', 'project', 'agent', 'model', 'tool', 'session'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** A row has a value for each dimension that was asked for; one that is not known is absent. */
export type StatsRow = Figures & { readonly [Name in Dimension]?: string | undefined } & {
  /** Title of the session of the row. */
  readonly title?: string | undefined;
};

export interface Figures {
  /** Sessions in which something of it happened. A session of a subagent is a part of the one that began it. */
  readonly sessions: number;
  /** Prompts of the user, undone ones too. */
  readonly turns: number;
  readonly failedTurns: number;
  /** Requests to models whose tokens were reported. */
  readonly requests: number;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** The part of the input that came from a cache. */
  readonly cachedTokens: number | undefined;
  /** US dollars, of the requests that have a price. */
  readonly cost: number | undefined;
  /** Requests that `cost` lacks. */
  readonly withoutPrice: number;
  readonly calls: number;
  readonly failedCalls: number;
  /** Milliseconds that the calls ran. */
  readonly callsMs: number | undefined;
  /** Milliseconds that you waited for turns. */
  readonly youWaitedMs: number | undefined;
  /** Milliseconds that sessions waited for you: for a decision, or for the next prompt, for at most an hour each. */
  readonly waitedForYouMs: number | undefined;
}

export interface StatsQuery {
  readonly by: readonly Dimension[];
  /** A name of the IANA data base, such as `Europe/Berlin`: whose days are counted. Default: UTC. */
  readonly zone?: string | undefined;
  /** Only of this day there, such as `2026-11-29`. */
  readonly day?: string | undefined;
  /** Only of this program, as in addresses. */
  readonly agent?: string | undefined;
  /** Only of sessions in these directories or below. */
  readonly projects?: readonly string[] | undefined;
  /** The user's own, for requests that have none. Default: those of the settings. */
  readonly prices?: UserPrices | undefined;
}

interface Counted {
  readonly sums: readonly CountedSum[];
  readonly sessions: readonly CountedSession[];
  /** Whether a session belongs to the one that began it. */
  isSubagent(session: CountedSession): boolean;
  /** The name of its project, where that is not its directory. */
  projectOf?(session: CountedSession): string | null;
}

type Placed = CountedSum & { readonly of: CountedSession; readonly root: string; readonly isSubagent: boolean };

/**
 * Days and hours come in their order, all else by cost, then by tokens, turns and calls.
 *
 * @throws OllmError USAGE (an unknown time zone)
 */
export function sumStats(
  { sums, sessions, isSubagent, projectOf = ({ project }) => project }: Counted,
  { by, zone = 'UTC', day, agent, projects, prices = {} }: StatsQuery,
): { readonly rows: readonly StatsRow[]; readonly total: Figures } {
  const byNumber = new Map(sessions.map((session) => [session.number, session]));
  const [dayOf, hourOf] = [daysOf(zone), hoursOf(zone)];
  const placed = sums.flatMap((sum): Placed[] => {
    const of = byNumber.get(sum.session);
    if (of === undefined || (agent !== undefined && of.agent !== agent)) return [];
    const { project } = of;
    if (projects !== undefined && (project === null || !projects.some((each) => isOfDirectory(each, project))))
      return [];
    if (day !== undefined && (sum.at === 0 || dayOf(sum.at) !== day)) return [];
    const inside = isSubagent(of);
    // The prompts of a subagent are those of a model, and its time is in the turn that began it.
    if (inside && sum.kind === 'turn') return [];
    return [
      {
        ...pricedBy(prices, sum),
        of,
        root: `${of.agent}:${inside ? (of.parent ?? of.id) : of.id}`,
        isSubagent: inside,
      },
    ];
  });
  const some = by.includes('tool') ? placed.filter(({ kind }) => kind === 'call') : placed;
  const valueIn = (row: Placed, dimension: Dimension): string | undefined => {
    if (dimension === 'day' || dimension === 'hour') {
      return row.at === 0 ? undefined : (dimension === 'day' ? dayOf : hourOf)(row.at);
    }
    if (dimension === 'session') return row.root;
    if (dimension === 'project') return projectOf(row.of) ?? undefined;
    return (dimension === 'agent' ? row.of.agent : row[dimension]) ?? undefined;
  };
  const groups = Map.groupBy(some, (row) => JSON.stringify(by.map((dimension) => valueIn(row, dimension) ?? null)));
  const titles = new Map(sessions.map(({ agent, id, title }) => [`${agent}:${id}`, title ?? undefined]));
  const rows = [...groups.values()].map((group): StatsRow => {
    const named = by.map((dimension) => [dimension, valueIn(group[0]!, dimension)] as const);
    const title = by.includes('session') ? titles.get(group[0]!.root) : undefined;
    return { ...Object.fromEntries(named), ...(title === undefined ? {} : { title }), ...figuresOf(group) };
  });
  return { rows: rows.sort(byWeight), total: figuresOf(some) };
}

/** Requests without a price have that of the user. */
function pricedBy(prices: UserPrices, sum: CountedSum): CountedSum {
  const { kind, priced, model, input, output, cached } = sum;
  if (kind !== 'request' || priced > 0 || model === null || input === null || output === null) return sum;
  const usage = { inputTokens: input, outputTokens: output, cachedTokens: cached ?? 0 };
  const cost = costOf(usage, '', model, prices);
  return cost === undefined ? sum : { ...sum, cost, priced: sum.rows };
}

function figuresOf(rows: readonly Placed[]): Figures {
  const of = (kind: Placed['kind']) => rows.filter((row) => row.kind === kind);
  const [requests, turns, calls] = [of('request'), of('turn'), of('call')];
  const count = (some: readonly Placed[], member: 'rows' | 'failed' | 'priced') => known(some, member) ?? 0;
  return {
    sessions: new Set(rows.map(({ root }) => root)).size,
    turns: count(turns, 'rows'),
    failedTurns: count(turns, 'failed'),
    requests: count(requests, 'rows'),
    inputTokens: known(requests, 'input'),
    outputTokens: known(requests, 'output'),
    cachedTokens: known(requests, 'cached'),
    cost: known(requests, 'cost'),
    withoutPrice: count(requests, 'rows') - count(requests, 'priced'),
    calls: count(calls, 'rows'),
    failedCalls: count(calls, 'failed'),
    callsMs: known(calls, 'took'),
    youWaitedMs: known(turns, 'took'),
    waitedForYouMs: known(turns, 'paused'),
  };
}

/** The sum of those that state it; undefined where none does. */
function known(
  rows: readonly Placed[],
  member: 'rows' | 'failed' | 'priced' | 'input' | 'output' | 'cached' | 'cost' | 'took' | 'paused',
): number | undefined {
  let sum: number | undefined;
  for (const row of rows) {
    const value = row[member];
    if (value !== null) sum = (sum ?? 0) + value;
  }
  return sum;
}

function byWeight(one: StatsRow, other: StatsRow): number {
  const weights: readonly ((row: StatsRow) => number)[] = [
    ({ cost = 0 }) => cost,
    ({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens,
    ({ turns }) => turns,
    ({ calls }) => calls,
  ];
  const days = compareTexts(one.day ?? one.hour ?? '', other.day ?? other.hour ?? '');
  if (days !== 0) return days;
  for (const weight of weights) {
    const difference = weight(other) - weight(one);
    if (difference !== 0) return difference;
  }
  return compareTexts(nameOf(one), nameOf(other));
}

function nameOf({ project = '', agent = '', model = '', tool = '', session = '' }: StatsRow): string {
  return [project, agent, model, tool, session].join('\n');
}
