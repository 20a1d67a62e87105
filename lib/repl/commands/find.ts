// Finds the command that was typed, by its name or an alias, and the one that was probably meant when there is none.
import type { AnsweringAgent } from '../../app/conversation.ts';
import { nearest } from '../../config/nearest.ts';
import { OllmError } from '../../errors/index.ts';
import type { ReplCommand } from './command.ts';
import { MEANT } from './meant.ts';

/**
 * `agent`: answers in place of a model.
 * @throws OllmError USAGE, with what ollm has for a name of another program, or else with the nearest name
 */
export function findCommand(
  commands: readonly ReplCommand[],
  name: string,
  agent?: Pick<AnsweringAgent, 'title'>,
): ReplCommand {
  const found = commands.find((command) => namesOf(command).includes(name));
  if (found) return found;
  const close = nearestName(name, commands.flatMap(namesOf));
  const meant = close === undefined ? '' : `Did you mean /${close}? `;
  if (agent !== undefined) {
    throw new OllmError('USAGE', `There is no command /${name} where ${agent.title} answers.`, {
      hint: `${meant}/agent /${name} sends it to ${agent.title}; /help lists the commands.`,
    });
  }
  if (Object.hasOwn(MEANT, name)) throw new OllmError('USAGE', `There is no command /${name}.`, { hint: MEANT[name] });
  throw new OllmError('USAGE', `There is no command /${name}.`, {
    hint: `${meant}/help lists the commands; //${name} sends the line as a message.`,
  });
}

/** The name of a command and its aliases. */
export function namesOf(command: ReplCommand): readonly string[] {
  return [command.name, ...(command.aliases ?? [])];
}

/** The name that it begins, or that few changes make of it. */
function nearestName(typed: string, names: readonly string[]): string | undefined {
  return names.find((name) => typed !== '' && name.startsWith(typed)) ?? nearest(typed, names);
}
