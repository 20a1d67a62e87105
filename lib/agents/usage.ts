// The usage of an answer as an event: input includes cached tokens, output includes reasoning.
import type { EventData } from '../events/index.ts';
import type { ModelState } from './about.ts';
import type { Given } from './given.ts';
import { amountIn, countIn, defined } from './members.ts';

/** As a record has it: members of any kind. */
export interface Used {
  readonly inputTokens: unknown;
  readonly outputTokens: unknown;
  /** Unknown and 0 are the same, as with the next three. */
  readonly cachedTokens?: unknown;
  readonly cacheWriteTokens?: unknown;
  readonly reasoningTokens?: unknown;
  /** US dollars. */
  readonly totalCost?: unknown;
  /** The counted input is what neither came from the cache nor went into it. */
  readonly isCacheApart?: boolean | undefined;
  /** The program wrote the counts as it shows them. */
  readonly isRounded?: boolean | undefined;
}

interface UsedBy {
  /** Default: that of the session, as the next one. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The answer. */
  readonly message?: string | undefined;
  /** `summary`: it was not a request of the conversation itself, and says nothing about how full the window is. */
  readonly purpose?: EventData<'usage.reported'>['purpose'];
}

/** Returns the tokens of the whole input; undefined without the counts of input and output: nothing is added. */
export function addUsage(
  { isCacheApart, isRounded, ...used }: Used,
  { message, purpose, ...by }: UsedBy,
  given: Given<ModelState>,
): number | undefined {
  const counted = countIn(used.inputTokens);
  const outputTokens = countIn(used.outputTokens);
  if (counted === undefined || outputTokens === undefined) return undefined;
  const cachedTokens = countIn(used.cachedTokens) || undefined;
  const cacheWriteTokens = countIn(used.cacheWriteTokens) || undefined;
  const reasoningTokens = countIn(used.reasoningTokens) || undefined;
  const totalCost = amountIn(used.totalCost) || undefined;
  const { provider = given.state.provider, model = given.state.model } = by;
  const more = { cachedTokens, cacheWriteTokens, reasoningTokens, totalCost, purpose, message };
  const inputTokens = counted + (isCacheApart ? (cachedTokens ?? 0) + (cacheWriteTokens ?? 0) : 0);
  given.add({
    type: 'usage.reported',
    data: { inputTokens, outputTokens, source: isRounded ? 'estimate' : 'provider', model, provider, ...defined(more) },
  });
  return inputTokens;
}
