// `ollm list`: the sessions there are, newest activity first.
import { type Command, Option } from 'commander';
import type { Unanswered } from '../../app/sessions/list/ask-index.ts';
import { formed, type ListForm } from '../../app/sessions/list/list-forms.ts';
import { type ListedLines, linesFromIndex, linesOf } from '../../app/sessions/list/listed-lines.ts';
import { printedList } from '../../app/sessions/list/printed-list.ts';
import type { SessionOrder } from '../../app/sessions/list/session-row.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import { sessionTable } from '../session-table.ts';
import type { Shell } from '../shell.ts';

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
        if (sort === 'activity' && (await printFromIndex(shell, limit))) return 0;
        const app = await shell.openApp('list');
        const { listSessions } = await import('../../app/sessions/list/list-sessions.ts');
        const rows = listSessions(app, { sort, limit });
        const form = formOf(shell.output);
        if (rows.length === 0 && limit !== 0 && form !== 'documents') {
          shell.output.note(`No sessions in ${app.store.location}.`);
        } else if (form !== undefined) await shell.output.data(formed(form, rows));
        else await printTable(shell.output, linesOf(rows), app.clock.now());
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm list', does: 'all sessions, the one used last on top' },
    { line: 'ollm list --sort size --limit 5', does: 'the five largest' },
    { line: 'ollm list --json | jq -r ".[].id"', does: 'their ids, for a script' },
  ]);
}

/** None on a terminal, where a person reads a table. */
function formOf({ json, isTerminal }: Output): ListForm | undefined {
  if (json) return 'documents';
  return isTerminal ? undefined : 'lines';
}

/** Says whether it did. The store is opened only where the index of the list leaves something to read. */
async function printFromIndex(shell: Shell, limit: number | undefined): Promise<boolean> {
  const place = await shell.readSettings('list');
  const form = formOf(shell.output);
  const question = {
    limit,
    async read(unanswered: Unanswered) {
      const app = await shell.openApp('list');
      const { listUnanswered } = await import('../../app/sessions/list/list-sessions.ts');
      return listUnanswered(app, unanswered);
    },
  };
  if (form === undefined) {
    const lines = await linesFromIndex(place, question);
    if (lines !== undefined) await printTable(shell.output, lines, place.clock.now());
    return lines !== undefined;
  }
  const pieces = await printedList(place, { form, ...question });
  for (const piece of pieces ?? []) await shell.output.data(piece);
  return pieces !== undefined;
}

async function printTable(output: Output, lines: ListedLines, nowMs: number): Promise<void> {
  for (const block of sessionTable(lines, output, nowMs)) await output.write(block);
}
