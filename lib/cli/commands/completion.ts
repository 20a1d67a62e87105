// `ollm completion`: the script that teaches a shell to complete ollm, made from the command definitions.
import { Argument, type Command } from 'commander';
import { action, type Finish, withExamples } from '../command.ts';

export function defineCompletion(program: Command, finish: Finish): void {
  const command = program
    .command('completion')
    .description(
      'print the completion script for a shell; "ids" prints the ids of all sessions, or those that begin so',
    )
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish', 'ids']))
    .argument('[beginning]', 'with ids: their beginning; claude: for those of Claude Code')
    .action(
      action<object, [string, string | undefined]>(finish, async ({ output, openApp }, _options, shell, beginning) => {
        if (shell === 'ids') {
          const app = await openApp('completion');
          const { completeReference } = await import('../../app/find/complete-address.ts');
          const { ownIds } = await import('../../app/list/bare-sessions.ts');
          const ids = beginning === undefined ? await ownIds(app) : await completeReference(app, beginning);
          for (const id of ids) await output.line(id);
          return;
        }
        const { completedProgram } = await import('../completion/completable.ts');
        const script = await scriptOf(shell);
        await output.write(script(completedProgram(program)));
      }),
    );
  withExamples(command, [
    { line: 'source <(ollm completion bash)', does: 'in ~/.bashrc; zsh takes the same with its own name' },
    { line: 'ollm completion fish | source', does: 'in ~/.config/fish/config.fish' },
  ]);
}

async function scriptOf(shell: string) {
  if (shell === 'bash') return (await import('../completion/bash.ts')).bashCompletion;
  if (shell === 'zsh') return (await import('../completion/zsh.ts')).zshCompletion;
  return (await import('../completion/fish.ts')).fishCompletion;
}
