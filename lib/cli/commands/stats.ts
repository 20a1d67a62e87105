// `ollm stats`: what all sessions of all programs came to.
import { type Command, InvalidArgumentError } from 'commander';
import type { Stats } from '../../app/sessions/read/stats.ts';
import type { Dimension, StatsRow } from '../../app/sessions/read/sum-stats.ts';
import { countOf } from '../../display/quantities.ts';
import { parseCount, parseDirectory, parseSince, type Since } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';
import { statsTable } from '../stats-table.ts';

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

export function defineStats(program: Command, finish: Finish): void {
  const command = program
    .command('stats')
    .description('count sessions, turns, tokens, cost, time and failures of all programs')
    .option('--by <names>', `one or two of ${NAMES.join(', ')}`, parseNames, ['day'] as const)
    .option('--since <time>', 'nothing older than this, such as 2w, 12h or 2026-11-21', parseSince)
    .option('--agent <name>', 'only sessions of this program, such as ollm')
    .option('--project <directory>', 'only sessions of this directory and below, such as .', parseDirectory)
    .option('--zone <name>', 'days of this time zone, such as Europe/Berlin (default: UTC)')
    .option('-n, --limit <count>', 'show at most N rows: the newest days, or the greatest', parseCount)
    .action(
      action<Options, []>(finish, async (shell, { since, project, limit = Number.POSITIVE_INFINITY, ...query }) => {
        const app = await shell.openApp('stats');
        const { stats } = await import('../../app/sessions/read/stats.ts');
        const request = {
          ...query,
          project,
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

/** For a pipe: the names, then sessions, turns, tokens in and out, dollars, milliseconds, calls, failures. */
function cellsOf(row: StatsRow, by: readonly Dimension[]): readonly unknown[] {
  const { sessions, turns, inputTokens, outputTokens, cost, youWaitedMs, waitedForYouMs } = row;
  const figures = [sessions, turns, inputTokens, outputTokens, cost, youWaitedMs, waitedForYouMs];
  return [...by.map((name) => row[name]), ...figures, row.calls, row.callsMs, row.failedTurns, row.failedCalls];
}
