// The table of `ollm stats`: a line for each name, and one for all.
import type { Dimension, Figures, StatsRow } from '../app/sessions/read/sum-stats.ts';
import { formatCost, formatCount, formatDuration, shortCount } from '../display/quantities.ts';
import type { Column } from '../display/table.ts';

const MOST_PARTS = 4;
const NAME_COLUMNS = 20;
const UNKNOWN = 'unknown';

export function statsTable(
  rows: readonly StatsRow[],
  total: readonly Figures[],
  by: readonly Dimension[],
): readonly Column[] {
  const lines: readonly Figures[] = [...rows, ...total];
  const names = by.map((name, at) => ({
    title: name.toUpperCase(),
    cells: [...namesIn(rows, name), ...total.map(() => (at === 0 ? 'all' : ''))],
    style: 'cyan' as const,
    shrinks: true,
  }));
  // A second name takes room, and so does an address.
  const taken = NAME_COLUMNS * (by.length - 1 + Number(by.includes('session')));
  const figure = (title: string, cellOf: (line: Figures) => string, dropAt?: number): Column => ({
    title,
    cells: lines.map(cellOf),
    align: 'right',
    ...(dropAt === undefined ? {} : { dropAt: dropAt + taken }),
  });
  const time = (ms: number | undefined) => (ms === undefined ? '' : formatDuration(ms));
  if (by.includes('tool')) {
    return [
      ...names,
      figure('CALLS', ({ calls }) => formatCount(calls)),
      figure('FAILED', ({ failedCalls }) => countOrNone(failedCalls), 30),
      figure('RAN', ({ callsMs }) => time(callsMs)),
      figure('SESSIONS', ({ sessions }) => formatCount(sessions), 60),
    ];
  }
  return [
    ...names,
    figure('SESSIONS', ({ sessions }) => formatCount(sessions)),
    figure('TURNS', ({ turns }) => formatCount(turns), 30),
    figure('INPUT', ({ inputTokens }) => (inputTokens === undefined ? '' : shortCount(inputTokens)), 60),
    figure('OUTPUT', ({ outputTokens }) => (outputTokens === undefined ? '' : shortCount(outputTokens)), 60),
    figure('COST', ({ cost }) => (cost === undefined ? '' : formatCost(cost))),
    figure('YOU WAITED', ({ youWaitedMs }) => time(youWaitedMs), 80),
    figure('IT WAITED', ({ waitedForYouMs }) => time(waitedForYouMs), 100),
    figure('CALLS', ({ calls }) => countOrNone(calls), 110),
    figure('FAILED', ({ failedTurns, failedCalls }) => countOrNone(failedTurns + failedCalls), 70),
  ];
}

function countOrNone(count: number): string {
  return count === 0 ? '' : formatCount(count);
}

function namesIn(rows: readonly StatsRow[], name: Dimension): readonly string[] {
  if (name !== 'project') return rows.map((row) => row[name] ?? UNKNOWN);
  const short = shortPaths(new Set(rows.flatMap(({ project }) => project ?? [])));
  return rows.map(({ project }) => (project === undefined ? UNKNOWN : short.get(project)!));
}

/** The last parts of each path, as many as tell it from the others. */
function shortPaths(paths: ReadonlySet<string>): ReadonlyMap<string, string> {
  const endOf = (path: string, parts: number) => path.split(/[/\\]/u).slice(-parts).join('/');
  const shown = new Map<string, string>();
  let left = [...paths];
  for (let parts = 1; left.length > 0; parts += 1) {
    const byEnd = Map.groupBy(left, (path) => endOf(path, parts));
    left = [];
    for (const [end, some] of byEnd) {
      if (some.length === 1 || parts === MOST_PARTS)
        for (const path of some) shown.set(path, some.length === 1 ? end : path);
      else left.push(...some);
    }
  }
  return shown;
}
