// The two forms of a prompt that waits: as a client of this host has it, and as the journal has it.
import type { WaitingPrompt } from '../../projections/queue.ts';
import type { QueuedPrompt } from '../port/prompts.ts';

export function waitingOf({ by, attachments, ...prompt }: Omit<QueuedPrompt, 'awaits'>): WaitingPrompt {
  const { promptId, text, queuedAt, provider, model, thinking, permissions } = prompt;
  const { author, address } = by ?? {};
  const chosen = { provider, model, thinking, permissions, author, address };
  return { promptId, text, queuedAt, ...chosen, ...(attachments && { attachments: [...attachments] }) };
}

export function queuedOf({ author, address, ...prompt }: WaitingPrompt): QueuedPrompt {
  const isNamed = author !== undefined || address !== undefined;
  return { ...prompt, ...(isNamed && { by: { author, address } }) };
}
