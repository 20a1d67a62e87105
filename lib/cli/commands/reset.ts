// `ollm reset`: a session starts over under its id; the old journal goes to archive/.
import type { Command } from 'commander';
import { shortId } from '../../display/short-id.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly keepHistory?: boolean;
  readonly promptFile?: string;
  readonly yes?: boolean;
}

export function defineReset(program: Command, finish: Finish): void {
  const command = program
    .command('reset')
    .description('start a session over under its id; its old journal goes to archive/')
    .argument('<id>', SESSION_ARGUMENT)
    .option('--keep-history', 'keep the conversation: only the prompt changes')
    .option('--prompt-file <file>', 'file with the new prompt; default: the recorded prompt')
    .option('-y, --yes', 'do not ask')
    .action(
      action<Options, [string]>(finish, async (shell, { keepHistory, promptFile, yes }, reference) => {
        const app = await shell.openApp('reset');
        const { resolveId } = await import('../../app/find/find-session.ts');
        const id = await resolveId(app, reference);
        const warning = `Session ${shortId(id)} starts over${keepHistory ? ' with its history' : ''}; its journal goes to archive/.`;
        if (!(await confirm(shell, { warning, reversible: true, yes }))) return 1;
        const { countDamage } = await import('../../app/find/open-for-reading.ts');
        const damaged = keepHistory ? await countDamage(app, id) : 0;
        const { resetSession } = await import('../../app/sessions/open/reset-session.ts');
        const done = await resetSession(app, id, { keepHistory, promptFile });
        await shell.output.done(done, `Reset ${shortId(done.id)}. The old journal is archive/${done.archive}.`);
        return tellCautions(shell.output, app, id, damaged);
      }),
    );
  withExamples(command, [
    { line: 'ollm reset notes', does: 'empty it, with the same prompt' },
    { line: 'ollm reset notes --keep-history --prompt-file new.md', does: 'go on with another prompt' },
  ]);
}
