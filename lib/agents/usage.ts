// The usage of an answer as an event: input includes cached tokens, output includes reasoning.
import type { EventData } from '../events/index.ts';
import type { Given } from './given.ts';
import { defined } from './members.ts';

export interface Used {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Unknown and 0 are the same, as with the next three. */
  readonly cachedTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** US dollars. */
  readonly totalCost?: number | undefined;
  /** The program wrote the counts as it shows them. */
  readonly isRounded?: boolean | undefined;
}

interface UsedBy {
  readonly provider: string;
  readonly model: string;
  /** The answer. */
  readonly message?: string | undefined;
  /** `summary`: it was not a request of the conversation itself, and says nothing about how full the window is. */
  readonly purpose?: EventData<'usage.reported'>['purpose'];
}

export function addUsage(
  { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens, totalCost, isRounded }: Used,
  { provider, model, message, purpose }: UsedBy,
  given: Given<{ readonly turn: number }>,
): void {
  const more = {
    cachedTokens: cachedTokens || undefined,
    cacheWriteTokens: cacheWriteTokens || undefined,
    reasoningTokens: reasoningTokens || undefined,
    totalCost: totalCost || undefined,
    purpose,
    message,
  };
  given.add({
    type: 'usage.reported',
    data: { inputTokens, outputTokens, source: isRounded ? 'estimate' : 'provider', model, provider, ...defined(more) },
  });
}
