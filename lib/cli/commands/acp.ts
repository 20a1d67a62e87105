// `ollm acp`: ollm as an agent in an editor that speaks the Agent Client Protocol.
import type { Command } from 'commander';
import { action, type Finish, withExamples } from '../command.ts';

interface Options {
  readonly provider?: string;
  readonly model?: string;
}

export function defineAcp(program: Command, finish: Finish): void {
  const command = program
    .command('acp')
    .description('be the agent of an editor, by the Agent Client Protocol over standard input and output')
    .option('--provider <name>', 'provider of new sessions')
    .option('--model <name>', 'model of new sessions')
    .action(
      action<Options, []>(finish, async (shell, wishes) => {
        if (process.stdin.isTTY) {
          shell.output.note('This speaks ACP to the editor that starts it; Ctrl+C ends it. See docs/acp.md.');
        }
        await shell.readSettings('acp', wishes);
        const { runAcp } = await import('../../acp/program.ts');
        const options = shell.settingsOptions('acp');
        const flags = { ...options.flags, ...wishes };
        const streams = { input: process.stdin, output: process.stdout };
        await runAcp({ ...options, flags }, { ...streams, signal: shell.signal });
      }),
    );
  withExamples(command, [
    { line: 'ollm acp', does: 'as an editor starts it' },
    { line: 'ollm acp --provider ollama --model llama3.2', does: 'with this model' },
  ]);
}
