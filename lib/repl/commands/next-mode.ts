// Shift+Tab, and the key for all edits in a question: another mode of the tools.
import { MODE_WORDS, type ToolMode } from '../../tools/modes.ts';
import type { CommandContext } from './command.ts';

/** `mode`: default: the next one. Answers with what to say; never rejects. */
export async function goToMode(
  { app, conversation }: Pick<CommandContext, 'app' | 'conversation'>,
  mode?: ToolMode,
): Promise<string> {
  const { agent } = conversation;
  if (agent !== undefined) return `${agent.title} has modes of its own: ollm asks you about what it asks.`;
  try {
    const { nextMode, switchMode } = await import('../../app/policy/tool-mode.ts');
    await switchMode(app, conversation, mode ?? nextMode(conversation.state.mode));
    return MODE_WORDS[conversation.state.mode];
  } catch (error) {
    return (error as Error).message;
  }
}
