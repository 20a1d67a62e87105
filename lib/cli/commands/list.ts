// `ollm list`: the sessions of the store, newest activity first.
import { type Command, Option } from 'commander';
import { documentOf, tabbedLine } from '../../app/list/list-forms.ts';
import type { SessionOrder } from '../../app/list/session-row.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { sessionTable } from '../session-table.ts';

interface Options {
  readonly limit?: number;
  readonly sort: SessionOrder;
}

export function defineList(program: Command, finish: Finish): void {
  const command = program
    .command('list')
    .description('list the sessions')
    .option('-n, --limit <count>', 'show at most N sessions', parseCount)
    .addOption(
      new Option('--sort <order>', 'sort by')
        .choices(['activity', 'created', 'size', 'title'] satisfies SessionOrder[])
        .default('activity'),
    )
    .action(
      action<Options, []>(finish, async (shell, { limit, sort }) => {
        const app = await shell.openApp('list');
        const { listSessions } = await import('../../app/list/list-sessions.ts');
        const rows = await listSessions(app, { sort, limit });
        const { output } = shell;
        if (output.json) await output.data(`${JSON.stringify(rows.map(documentOf), null, 2)}\n`);
        else if (rows.length === 0 && limit !== 0) output.note(`No sessions in ${app.store.location}.`);
        else if (!output.isTerminal) await output.data(rows.map((row) => `${tabbedLine(row)}\n`).join(''));
        else await output.table(sessionTable(rows, app.clock.now()));
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm list', does: 'all sessions, the last one used on top' },
    { line: 'ollm list --sort size --limit 5', does: 'the five largest' },
    { line: 'ollm list --json | jq -r ".[].id"', does: 'their ids, for a script' },
  ]);
}
