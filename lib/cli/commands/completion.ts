// `ollm completion`: the script that teaches a shell to complete ollm, made from the command definitions.
import { Argument, type Command } from 'commander';
import { action, type Finish, withExamples } from '../command.ts';

export function defineCompletion(program: Command, finish: Finish): void {
  const command = program
    .command('completion')
    .description('print the completion script for a shell; "ids" prints the ids of all sessions')
    .addArgument(new Argument('<shell>', 'which').choices(['bash', 'zsh', 'fish', 'ids']))
    .action(
      action<object, [string]>(finish, async ({ output, openApp }, _options, shell) => {
        if (shell === 'ids') {
          const app = await openApp('completion');
          for (const { id } of await app.store.list()) await output.line(id);
          return 0;
        }
        const { completedProgram } = await import('../completion/words.ts');
        const script = await scriptOf(shell);
        await output.write(script(completedProgram(program)));
        return 0;
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
