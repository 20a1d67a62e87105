// Runs, and completes, a line that begins with a slash: finds its command and the action that its first word names.
import type { Conversation } from '../../app/conversation.ts';
import { OllmError } from '../../errors/index.ts';
import {
  type CommandAction,
  type CommandContext,
  type CommandResult,
  type ReplCommand,
  splitFirstWord,
  wrongUsage,
} from './command.ts';
import { findCommand, namesOf } from './find.ts';

/** @throws OllmError USAGE if the line names no command or may not be used now, and the errors of the command */
export async function runCommand(context: CommandContext, line: string): Promise<CommandResult | undefined> {
  const [name, argument] = splitFirstWord(line.slice(1));
  const command = findCommand(context.commands, name, context.conversation.agent);
  if (command.arguments === '' && argument.trim() !== '') {
    throw wrongUsage(command, `/${command.name} takes no arguments. Nothing was done.`);
  }
  requireLegal(command, context.conversation);
  if (command.actions === undefined) return (await command.run(context, argument)) ?? undefined;
  const [word, text] = splitFirstWord(argument);
  const action = actionOf(command.actions, word);
  if (action === undefined || (text.trim() !== '' && !action.takesText)) throw wrongUsage(command);
  return (await action.run(context, text)) ?? undefined;
}

/** Whether the command of this line does not wait for a turn that runs. */
export function isImmediate(commands: readonly ReplCommand[], line: string): boolean {
  const [name] = splitFirstWord(line.slice(1));
  return commands.some((command) => namesOf(command).includes(name) && command.isImmediate === true);
}

/** The completions of the last word of a line with a command. */
export async function completeArgument(context: CommandContext, line: string): Promise<readonly string[]> {
  const [name, argument] = splitFirstWord(line.slice(1));
  const command = findCommand(context.commands, name);
  if (command.actions === undefined) return (await command.complete?.(context, argument)) ?? [];
  const words = argument.trimStart();
  if (!/\s/.test(words)) return Object.keys(command.actions).filter((word) => word !== '');
  const [word, text] = splitFirstWord(words);
  return (await actionOf(command.actions, word)?.complete?.(context, text)) ?? [];
}

function actionOf(actions: Readonly<Record<string, CommandAction>>, word: string): CommandAction | undefined {
  return Object.hasOwn(actions, word) ? actions[word] : undefined;
}

function requireLegal(command: ReplCommand, conversation: Conversation): void {
  if (command.legal === 'always') return;
  requireWritable(conversation);
  if (command.legal === 'after-a-turn' && conversation.session.states.summary.turnCount === 0) {
    throw new OllmError('USAGE', `/${command.name} needs a turn, and there is none yet.`);
  }
}

/** @throws OllmError the failure of the journal, after which nothing more can be stored */
export function requireWritable({ session }: Conversation): void {
  const { failure } = session.writer;
  if (!failure) return;
  throw new OllmError(failure.code, 'The journal of this session can no longer be written.', {
    hint: `${failure.hint ?? 'Check the disk.'} Then leave, and continue with: ollm repl --resume ${session.id.slice(0, 8)}`,
    cause: failure,
  });
}
