// `ollm rebuild`: a session starts fresh from its prompt file as it is now.
import type { Command } from 'commander';
import { shortId } from '../../display/short-id.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';

interface Options {
  readonly yes?: boolean;
}

export function defineRebuild(program: Command, finish: Finish): void {
  const command = program
    .command('rebuild')
    .description('start a session over from its current prompt file; its old journal goes to archive/')
    .argument('<id>', SESSION_ARGUMENT)
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, [string]>(finish, async (shell, { yes }, reference) => {
        const app = await shell.openApp('rebuild');
        const { resolveId } = await import('../../app/find/find-session.ts');
        const id = await resolveId(app, reference);
        const warning = `Session ${shortId(id)} starts fresh from its prompt file; its journal goes to archive/.`;
        if (!(await confirm(shell, { warning, reversible: true, yes }))) return 1;
        const { rebuildSession } = await import('../../app/sessions/open/reset-session.ts');
        const done = await rebuildSession(app, id);
        await shell.output.done(done, `Rebuilt ${shortId(done.id)}. The old journal is archive/${done.archive}.`);
      }),
    );
  withExamples(command, [{ line: 'ollm rebuild notes', does: 'after the prompt file was edited' }]);
}
