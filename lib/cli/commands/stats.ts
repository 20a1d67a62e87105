// `ollm stats`: what all sessions of all programs came to.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Stats } from '../../app/sessions/read/stats.ts';
import type { Dimension, Figures, StatsRow } from '../../app/sessions/read/sum-stats.ts';
import { countOf, formatCost, formatCount, formatDuration, shortCount } from '../../display/quantities.ts';
import type { Column } from '../../display/table.ts';
import { parseCount, parseSince, type Since } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly by: readonly Dimension[];
  readonly since?: Since;
  readonly project?: string;
  readonly agent?: string;
  readonly zone?: string;
  readonly limit?: number;
}

/** A bearable wait, where a first sync may take minutes. */
const SYNC_MS = 5_000;
const NAMES = ['day', 'hour', 'project', 'agent', 'model', 'tool', 'session'] as const satisfies readonly Dimension[];
const MOST_PARTS = 4;
const NAME_COLUMNS = 20;
const UNKNOWN = 'unknown';

export function defineStats(program: Command, finish: Finish): void {
  const command = program
    .command('stats')
    .description('count sessions, turns, tokens, cost, time and failures of all programs')
    .option('--by <names>', `one or two of ${NAMES.join(', ')}`, parseNames, ['day'] as const)
    .option('--since <time>', 'nothing older than this, such as 2w, 12h or 2026-11-21', parseSince)
    .option('--agent <name>', 'only sessions of this program, such as ollm')
    .option('--project <directory>', 'only sessions of this directory and below, such as .')
    .option('--zone <name>', 'days of this time zone, such as Europe/Berlin (default: UTC)')
    .option('-n, --limit <count>', 'show at most N rows: the newest days, or the greatest', parseCount)
    .action(
      action<Options, []>(finish, async (shell, { since, project, limit = Number.POSITIVE_INFINITY, ...query }) => {
        const app = await shell.openApp('stats');
        const { stats } = await import('../../app/sessions/read/stats.ts');
        const request = {
          ...query,
          project: project === undefined ? undefined : resolve(project),
          sinceMs: since?.(app.clock.now()),
        };
        const all = await stats(app, request, { signal: shell.signal, syncMs: SYNC_MS });
        const rows = all.by[0] === 'day' ? all.rows.slice(-limit || all.rows.length) : all.rows.slice(0, limit);
        await print(shell, { ...all, rows: limit === 0 ? [] : rows }, all.rows.length);
      }),
    );
  withExamples(command, [
    { line: 'ollm stats --since 30d', does: 'each day of the last thirty' },
    { line: 'ollm stats --by model --project .', does: 'the models that worked here' },
    { line: 'ollm stats --by project,agent --since 2w -n 10', does: 'where the work of two weeks went' },
    {
      line: 'ollm stats --by tool --agent claude',
      does: 'which tools were called, how long they ran, and how many failed',
    },
    { line: 'ollm stats --by day --json | jq ".total.cost"', does: 'what all of it cost, for a script' },
  ]);
}

function parseNames(value: string): readonly Dimension[] {
  const names = value.split(',').map((name) => NAMES.find((each) => each === name.trim()));
  const found = names.filter((name) => name !== undefined);
  if (found.length === names.length && found.length <= 2 && new Set(found).size === found.length) return found;
  throw new InvalidArgumentError(`It takes one or two of ${NAMES.join(', ')}, such as project,model`);
}

async function print({ output }: Shell, all: Stats, found: number): Promise<void> {
  const { rows, total, by } = all;
  if (output.json) await output.document(all);
  else
    await output.list(
      rows,
      (row) => cellsOf(row, by),
      () => statsTable(rows, found > 1 ? [total] : [], by),
    );
  for (const sentence of all.leftOut) output.note(sentence);
  if (total.sessions === 0) output.note('Nothing was counted. "ollm agents" shows which programs keep sessions here.');
  else if (output.isTerminal && !output.json && total.withoutPrice > 0) {
    output.note(`Costs lack ${countOf(total.withoutPrice, 'request')} that no price is known for.`);
  }
}

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
    ...{ title, cells: lines.map(cellOf), align: 'right' },
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

/** For a pipe: the names, then sessions, turns, tokens in and out, dollars, milliseconds, calls, failures. */
function cellsOf(row: StatsRow, by: readonly Dimension[]): readonly unknown[] {
  const { sessions, turns, inputTokens, outputTokens, cost, youWaitedMs, waitedForYouMs } = row;
  const figures = [sessions, turns, inputTokens, outputTokens, cost, youWaitedMs, waitedForYouMs];
  return [...by.map((name) => row[name]), ...figures, row.calls, row.callsMs, row.failedTurns, row.failedCalls];
}
