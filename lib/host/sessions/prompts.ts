// The forms of a prompt: as it waits in this host, as it waits in the journal, and as its turn is given it.
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { WaitingPrompt } from '../../projections/queue.ts';
import type { TurnInput } from '../../turn/run-turn.ts';
import type { PromptRequest, QueuedPrompt } from '../port/prompts.ts';

export function waitingOf({ by, promptId, text, queuedAt, ...rest }: QueuedPrompt): WaitingPrompt {
  const { provider, model, thinking, permissions, attachments } = rest;
  const chosen = { provider, model, thinking, permissions, author: by?.author };
  return { promptId, text, queuedAt, ...chosen, ...(attachments && { attachments: [...attachments] }) };
}

export function queuedOf({ author, ...prompt }: WaitingPrompt): QueuedPrompt {
  return { ...prompt, ...(author !== undefined && { by: { author } }) };
}

/** @throws OllmError POLICY_DENIED, USAGE, and what reading its files throws */
export async function inputOf(
  app: App,
  conversation: Conversation,
  { text, attachments = [], by }: PromptRequest,
): Promise<TurnInput> {
  const author = by?.author;
  if (attachments.length === 0) return { text, author };
  const { attachFiles } = await import('../../app/project/attach-files.ts');
  const alsoInside = join(app.paths.home, 'assets');
  const request = { text, typed: '', files: attachments, allowOutside: false, alsoInside };
  return { ...(await attachFiles(app, conversation, request)).input, author };
}
