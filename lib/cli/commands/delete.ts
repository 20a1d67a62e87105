// `ollm delete`: a session goes to the trash, or is deleted permanently.
import type { Command } from 'commander';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';

interface Options {
  readonly purge?: boolean;
  readonly yes?: boolean;
}

export function defineDelete(program: Command, finish: Finish): void {
  const command = program
    .command('delete')
    .description('move a session to the trash')
    .argument('<id>', SESSION_ARGUMENT)
    .option('--purge', 'delete permanently, with its earlier journals in archive/')
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, [string]>(finish, async (shell, { purge, yes }, reference) => {
        const app = await shell.openApp('delete');
        const { deleteSession, findDeletable } = await import('../../app/sessions/change/delete-session.ts');
        const id = await findDeletable(app, reference);
        const warning = purge
          ? `Session ${id} will be deleted permanently, with its earlier journals in archive/.`
          : `Session ${id} goes to the trash.`;
        if (!(await confirm(shell, { warning, reversible: !purge, yes }))) return 1;
        const entry = await deleteSession(app, id, { purge });
        if (shell.output.json) await shell.output.document({ ...entry, purged: purge === true });
        else if (purge) await shell.output.line(`Deleted ${id} permanently.`);
        else await shell.output.line(`Deleted ${id}. "ollm restore ${id}" brings it back.`);
        return 0;
      }),
    );
  withExamples(command, [
    { line: 'ollm delete notes', does: 'to the trash; "ollm restore notes" brings it back' },
    { line: 'ollm delete 550e84 --purge --yes', does: 'permanently, without a question' },
  ]);
}
