// The user's own commands, as slash commands behind those of the table. A built-in command cannot be replaced: what
// /quit does must not depend on the project.
import type { App } from '../../app/app.ts';
import type { OwnCommand } from '../../app/project/own-commands.ts';
import { fitWidth } from '../../display/width.ts';
import { reveal, revealLine } from '../approval/reveal.ts';
import type { ReplCommand } from './command.ts';
import { COMMANDS } from './table.ts';

const LONGEST_SUMMARY = 200;

export interface AllCommands {
  readonly commands: readonly ReplCommand[];
  /** What was wrong in the files. */
  readonly problems: readonly string[];
}

/** Read again each time: a file may be written while the REPL runs. */
export async function allCommands(app: App): Promise<AllCommands> {
  const { ownCommands } = await import('../../app/project/own-commands.ts');
  const { commands, problems } = await ownCommands(app);
  const builtin = new Set(COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const clashing = commands.filter(({ name }) => builtin.has(name));
  const own = commands.filter(({ name }) => !builtin.has(name)).map(commandOf);
  const clashes = clashing.map(({ name, path }) => `${path} is not used: /${name} is a command of ollm.`);
  return { commands: [...COMMANDS, ...own], problems: [...problems, ...clashes].map(revealLine) };
}

function commandOf({ name, place, path, description, model, text }: OwnCommand): ReplCommand {
  const summary = fitWidth(revealLine(description), LONGEST_SUMMARY);
  return {
    name,
    group: 'own',
    arguments: '[ARGUMENTS]',
    summary: place === 'project' ? `${summary} (of the project)` : summary,
    details: `It sends the text of ${revealLine(path)}${model === undefined ? '' : `, to ${revealLine(model)}`}`,
    example: `/${name}`,
    legal: 'writable',
    async run({ front }, argument) {
      const { expandCommand } = await import('../../app/project/own-commands.ts');
      const message = expandCommand(text, argument);
      // What is sent is text of a file: the user sees it whole. A pipe carries answers.
      if (front.kind === 'terminal') await front.show([{ kind: 'user', text: reveal(message).text }]);
      // A project names no file of the user's: only what is typed does.
      return { type: 'message', text: message, typed: place === 'user' ? message : argument, model };
    },
  };
}
