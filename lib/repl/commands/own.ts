// The user's own commands, as slash commands after those of the table. A built-in command cannot be replaced: the
// effect of /quit must not depend on the project.
import type { App } from '../../app/app.ts';
import type { OwnCommand } from '../../app/project/own-commands.ts';
import { fitWidth } from '../../display/width.ts';
import { OllmError } from '../../errors/index.ts';
import { reveal, revealLine } from '../approval/reveal.ts';
import type { Front } from '../front.ts';
import type { ReplCommand } from './command.ts';
import { COMMANDS } from './table.ts';

const LONGEST_SUMMARY = 200;

interface AllCommands {
  readonly commands: readonly ReplCommand[];
  /** Faults in the files. */
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

function commandOf(command: OwnCommand): ReplCommand {
  const { name, place, path, description, model, text } = command;
  const summary = fitWidth(revealLine(description), LONGEST_SUMMARY);
  return {
    name,
    group: 'own',
    arguments: '[ARGUMENTS]',
    summary: place === 'project' ? `${summary} (of the project)` : summary,
    details: `It sends the text of ${revealLine(path)}${model === undefined ? '' : `, to ${revealLine(model)}`}`,
    example: `/${name}`,
    legal: 'writable',
    async run({ app, front }, argument) {
      if (place === 'project' && !(await isTrusted(app, front, command))) return undefined;
      const { expandCommand } = await import('../../app/project/own-commands.ts');
      const message = expandCommand(text, argument);
      // The message is text of a file: a user at a terminal sees it whole. A pipe has only answers.
      if (front.kind === 'terminal') await front.show([{ kind: 'user', text: reveal(message).text }]);
      // A project's command attaches no file of the user: only typed text does.
      return { type: 'message', text: message, typed: place === 'user' ? message : argument, model };
    },
  };
}

/**
 * What a project wrote is sent with the user's authority: only after a yes to this very text.
 *
 * @throws OllmError POLICY_DENIED: no user can be asked; IO_FAILED: the answer cannot be kept
 */
async function isTrusted(app: App, front: Front, command: OwnCommand): Promise<boolean> {
  const [{ projectCommand }, { decideOn, trustLines }] = await Promise.all([
    import('../../app/project/project-texts.ts'),
    import('../trust-question.ts'),
  ]);
  const text = projectCommand(app, command);
  if (text.trusted === true) return true;
  if (front.kind === 'pipe') {
    const message = `${revealLine(text.path)} of this project is not trusted. Nothing was sent.`;
    throw new OllmError('POLICY_DENIED', message, {
      hint: 'In a terminal you are asked. trustedDirectories trusts a whole project.',
    });
  }
  front.print(...trustLines([text], { columns: Math.min(front.columns, 120), mostRows: Number.POSITIVE_INFINITY }));
  const answer = await front.decide('May it instruct the model?');
  if (answer !== 'later') await decideOn(app, [text], answer === 'yes');
  if (answer === 'yes') return true;
  front.notice(`/${command.name} was not sent.`);
  return false;
}
