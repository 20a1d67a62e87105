// Shift+Tab: the next mode of the tools.
import { MODE_WORDS } from '../../tools/modes.ts';
import type { CommandContext } from './command.ts';

/** Answers with what to say; never rejects. */
export async function goToNextMode({
  app,
  conversation,
}: Pick<CommandContext, 'app' | 'conversation'>): Promise<string> {
  try {
    const { nextMode, switchMode } = await import('../../app/tools/tool-mode.ts');
    await switchMode(app, conversation, nextMode(conversation.state.mode));
    return MODE_WORDS[conversation.state.mode];
  } catch (error) {
    return (error as Error).message;
  }
}
