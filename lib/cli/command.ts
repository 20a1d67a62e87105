// How a command is defined: on commander's terms, with examples that its help, the reference in docs/ and the tests
// share, and an action that gets a shell and answers with an exit code.
import type { Command } from 'commander';
import { createShell, type GlobalFlags, type Shell } from './shell.ts';

export interface Example {
  readonly line: string;
  readonly does: string;
}

/** The exit code; none means 0. */
export type ExitCode = number | undefined;

export type Finish = (shell: Shell, work: () => Promise<ExitCode>) => Promise<void>;

/** How every `ID` is described. */
export const SESSION_ARGUMENT = 'id, unique prefix, name or @last';
/** For commands that only read a session, which may be one of another program. */
export const CONVERSATION_ARGUMENT = `${SESSION_ARGUMENT}; of another program agent:id, such as claude:5f3c`;

/** How a session of another program is read, by each command that reads one. */
export function withImportedOption(command: Command): Command {
  return command.option('--imported', 'read the imported copy of a session of another program');
}

const EXAMPLES = new WeakMap<Command, readonly Example[]>();

export function withExamples(command: Command, examples: readonly Example[]): Command {
  EXAMPLES.set(command, examples);
  const lines = examples.map(({ line, does }) => `  $ ${line}\n      ${does}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

export function examplesOf(command: Command): readonly Example[] {
  return EXAMPLES.get(command) ?? [];
}

/** Turns `(shell, options, ...arguments)` into an action of commander. */
export function action<Options, Arguments extends readonly unknown[]>(
  finish: Finish,
  work: (shell: Shell, options: Options, ...args: Arguments) => Promise<ExitCode> | Promise<void>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const shell = createShell(command.optsWithGlobals<GlobalFlags>());
    const args = given.slice(0, -2) as unknown as Arguments;
    await finish(shell, async () => (await work(shell, command.opts() as Options, ...args)) as ExitCode);
  };
}
