// The prompts of a led conversation: who begins their turns, and what a turn is given of them.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import type { WaitingPrompt } from '../projections/queue.ts';
import type { TurnInput } from '../turn/run-turn.ts';

/** Whether its turn begins without the user: it was accepted, and is not one that was typed ahead at a terminal. */
export function isPromised({ awaits }: Pick<WaitingPrompt, 'awaits'>): boolean {
  return awaits === undefined;
}

/** @throws OllmError POLICY_DENIED, USAGE, and what reading its files throws */
export async function inputOf(
  app: App,
  conversation: Conversation,
  { promptId, text, attachments = [], author }: WaitingPrompt,
): Promise<TurnInput> {
  if (attachments.length === 0) return { promptId, text, author };
  const { attachFiles } = await import('../app/context/attach-files.ts');
  const alsoInside = join(app.paths.home, 'assets');
  const request = { text, typed: '', files: attachments, allowOutside: false, alsoInside };
  return { ...(await attachFiles(app, conversation, request)).input, promptId, author };
}
