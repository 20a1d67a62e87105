// `ollm repl`, and `ollm` alone: opens a session and hands it to the REPL, which looks after itself from there.
import type { Command } from 'commander';
import type { OpenRequest } from '../../app/sessions/open-session.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { addSessionOptions, openRequestOf, type SessionOptions } from '../session-options.ts';

interface Options extends SessionOptions {
  readonly context?: boolean;
  readonly task?: string;
}

export function defineRepl(program: Command, finish: Finish): void {
  const command = program.command('repl').description('hold a conversation (the default without a command)');
  addSessionOptions(command)
    .option('--context', 'tell the model about this project: its structure, git state and instruction files')
    .option('--task <file>', 'give the model the task in this file')
    .action(
      action<Options, []>(finish, async (shell, options) => {
        const open: OpenRequest = openRequestOf(options);
        const app = await shell.openApp('repl', {
          provider: options.provider,
          model: options.model,
          mode: options.ephemeral ? 'ephemeral' : undefined,
          silent: true,
        });
        const { startRepl } = await import('../../repl/repl.ts');
        const { projectContext } = await import('../../app/project/project-context.ts');
        return startRepl(app, {
          open,
          color: shell.flags.color ? undefined : false,
          quiet: shell.flags.quiet,
          context: await projectContext(app, options),
        });
      }),
    );
  withExamples(command, [
    { line: 'ollm', does: 'start a conversation in a new session' },
    { line: 'ollm repl --resume @last', does: 'continue where you left off' },
    { line: 'ollm repl --name notes --prompt-file prompts/editor.md', does: 'one lasting session with its own prompt' },
    { line: 'echo "What is in this project?" | ollm repl', does: 'without a terminal: each line is a turn' },
  ]);
}
