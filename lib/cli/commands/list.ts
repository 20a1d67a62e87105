// `ollm list`: the sessions there are, newest activity first.
import { type Command, Option } from 'commander';
import { formed, type ListForm, titleOf } from '../../app/sessions/list/list-forms.ts';
import { printedList } from '../../app/sessions/list/printed-list.ts';
import { activityOf, type SessionOrder, type SessionRow } from '../../app/sessions/list/session-row.ts';
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
        const form = formOf(shell.output);
        if (form !== undefined && sort === 'activity' && (await printFromIndex(shell, form, limit))) return 0;
        const app = await shell.openApp('list');
        const { listSessions } = await import('../../app/sessions/list/list-sessions.ts');
        const rows = listSessions(app, { sort, limit });
        if (rows.length === 0 && limit !== 0 && form !== 'documents') {
          shell.output.note(`No sessions in ${app.store.location}.`);
        } else if (form === undefined) await printTable(shell.output, tableOf(rows, shell.output, app.clock.now()));
        else await shell.output.data(formed(form, rows));
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm list', does: 'all sessions, the one used last on top' },
    { line: 'ollm list --sort size --limit 5', does: 'the five largest' },
    { line: 'ollm list --json | jq -r ".[].id"', does: 'their ids, for a script' },
  ]);
}

/** On a terminal: short ids and times for a person. Through a pipe: whole ids and times, tab-separated. */
function formOf({ json, isTerminal }: Output): ListForm | undefined {
  if (json) return 'documents';
  return isTerminal ? undefined : 'lines';
}

/** Says whether it did. The store is opened only where the index of the list leaves something to read. */
async function printFromIndex(shell: Shell, form: ListForm, limit: number | undefined): Promise<boolean> {
  const place = await shell.readSettings('list');
  const pieces = await printedList(place, {
    form,
    limit,
    async read(unanswered) {
      const app = await shell.openApp('list');
      const { listUnanswered } = await import('../../app/sessions/list/list-sessions.ts');
      return listUnanswered(app, unanswered);
    },
  });
  for (const piece of pieces ?? []) await shell.output.data(piece);
  return pieces !== undefined;
}

async function printTable(output: Output, lines: Iterable<string>): Promise<void> {
  let block = '';
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < BLOCK_CHARACTERS) continue;
    await output.write(block);
    block = '';
  }
  await output.write(block);
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
