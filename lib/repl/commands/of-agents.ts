// The commands that work where an agent of another maker answers. The others change what a model of ollm is sent, which
// such an agent does not see; it has commands of its own.
import type { Conversation } from '../../app/conversation.ts';
import type { ReplCommand } from './command.ts';

const OF_AGENTS = new Set([
  ...['history', 'editor', 'copy', 'reasoning', 'queue', 'todo', 'usage', 'agent'],
  ...['new', 'load', 'search', 'recall', 'blame', 'fork', 'title', 'export', 'handover'],
  ...['model', 'thinking', 'config', 'clear', 'files', 'help', 'quit'],
]);

export function commandsFor(
  { agent }: Pick<Conversation, 'agent'>,
  commands: readonly ReplCommand[],
): readonly ReplCommand[] {
  return agent === undefined ? commands : commands.filter(({ name, group }) => group === 'own' || OF_AGENTS.has(name));
}
