// `ollm list`: the sessions there are, newest activity first.
import { type Command, Option } from 'commander';
import type { SessionOrder, SessionRow } from '../../app/sessions/list-sessions.ts';
import { printableLine } from '../../display/printable.ts';
import { formatBytes } from '../../display/quantities.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import type { Shell } from '../shell.ts';
import { shortIds } from '../short-ids.ts';
import { type Column, renderTable } from '../table.ts';

/** Printed by one writing. */
const BLOCK_CHARACTERS = 65_536;

interface Options {
  readonly limit?: number;
  readonly sort: SessionOrder;
}

export function defineList(program: Command, finish: Finish): void {
  const command = program
    .command('list')
    .description('list the sessions')
    .option('-n, --limit <count>', 'at most so many', parseCount)
    .addOption(
      new Option('--sort <order>', 'what comes first')
        .choices(['activity', 'created', 'size', 'title'] satisfies SessionOrder[])
        .default('activity'),
    )
    .action(
      action<Options, []>(finish, async (shell, { limit, sort }) => {
        const app = await shell.openApp('list');
        const { listSessions } = await import('../../app/sessions/list-sessions.ts');
        const rows = listSessions(app, { sort, ...(limit === undefined ? {} : { limit }) });
        if (shell.output.json) await shell.output.document(rows.map(documentOf));
        else if (rows.length === 0 && limit !== 0) shell.output.note(`No sessions in ${app.store.location}.`);
        else await print(shell, rows, app.clock.now());
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm list', does: 'all sessions, the one used last on top' },
    { line: 'ollm list --sort size --limit 5', does: 'the five largest' },
    { line: 'ollm list --json | jq -r ".[].id"', does: 'their ids, for a script' },
  ]);
}

function documentOf({ id, bytes, modified, locked, summary, problem, damaged }: SessionRow): object {
  if (!summary) return { id, bytes, modified, locked, problem, damaged };
  const { title, startTime, lastActivity, model, provider, messageCount, turnCount, tokenCount, cwd } = summary;
  return {
    id,
    title,
    startTime,
    lastActivity,
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

/** On a terminal: short ids and times for a person. Through a pipe: whole ids and times, tab-separated. */
async function print({ output }: Shell, rows: readonly SessionRow[], nowMs: number): Promise<void> {
  const lines = output.isTerminal ? tableOf(rows, output, nowMs) : rows.map(tabbed);
  let block = '';
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < BLOCK_CHARACTERS) continue;
    await output.write(block);
    block = '';
  }
  await output.write(block);
}

function tabbed(row: SessionRow): string {
  const { summary } = row;
  const cells = [row.id, activityOf(row), String(summary?.messageCount ?? ''), summary?.model ?? '', titleOf(row)];
  return cells.map(printableLine).join('\t');
}

function tableOf(rows: readonly SessionRow[], { colors, columns: width }: Output, nowMs: number): Iterable<string> {
  const ids = shortIds(rows.map(({ id }) => id));
  const columns: Column[] = [
    { title: 'ID', cells: rows.map(({ id }) => ids.get(id) ?? id), style: colors.cyan },
    { title: 'ACTIVITY', cells: rows.map((row) => relativeTime(activityOf(row), nowMs)), style: colors.dim },
    {
      title: 'MESSAGES',
      cells: rows.map(({ summary }) => String(summary?.messageCount ?? '?')),
      align: 'right',
      dropAt: 50,
    },
    { title: 'SIZE', cells: rows.map(({ bytes }) => formatBytes(bytes)), align: 'right', dropAt: 70 },
    { title: 'MODEL', cells: rows.map(({ summary }) => summary?.model ?? ''), style: colors.dim, dropAt: 90 },
    { title: 'TITLE', cells: rows.map(titleOf), grows: true },
  ];
  return renderTable(columns, { width, header: colors.dim });
}

function activityOf(row: SessionRow): string {
  return row.summary?.lastActivity ?? row.modified;
}

function titleOf({ summary, problem, damaged, locked }: SessionRow): string {
  const title = problem ?? summary?.title ?? summary?.lastMessage?.excerpt ?? '';
  const marks = [...(damaged > 0 ? ['damaged'] : []), ...(locked ? ['open'] : [])];
  return marks.length > 0 ? `${title} (${marks.join(', ')})` : title;
}
