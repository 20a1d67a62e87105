// Runs a line that begins with a slash, if what it names is there and may be used now.
import type { Conversation } from '../../app/conversation.ts';
import { OllmError } from '../../errors/index.ts';
import { type CommandContext, type CommandResult, type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { findCommand } from './find.ts';

/** @throws OllmError USAGE, and whatever the command runs into */
export async function runCommand(context: CommandContext, line: string): Promise<CommandResult | undefined> {
  const [name, argument] = splitFirstWord(line.slice(1));
  const command = findCommand(context.commands, name);
  if (command.arguments === '' && argument.trim() !== '') {
    throw wrongUsage(command, `/${command.name} takes nothing behind it, and nothing was done.`);
  }
  requireLegal(command, context.conversation);
  return await command.run(context, argument);
}

function requireLegal(command: ReplCommand, conversation: Conversation): void {
  if (command.legal === 'always') return;
  requireWritable(conversation);
  if (command.legal === 'after-a-turn' && conversation.session.states.summary.turnCount === 0) {
    throw new OllmError('USAGE', `/${command.name} needs a turn, and there is none yet.`);
  }
}

/** @throws OllmError: what has failed, once nothing more can be stored */
export function requireWritable({ session }: Conversation): void {
  const { failure } = session.writer;
  if (!failure) return;
  throw new OllmError(failure.code, 'The journal of this session can no longer be written.', {
    hint: `${failure.hint ?? 'Check the disk.'} Then leave, and go on with: ollm repl --resume ${session.id.slice(0, 8)}`,
    cause: failure,
  });
}
