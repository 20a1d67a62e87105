// Tokens of a request and its answer, as far as its provider counted them. A count that was not reported is unknown,
// and so is 0 for something that was sent: it is estimated, and the report says so.
import type { Usage } from '../../messages/index.ts';
import type { Reply } from './reply.ts';

export interface Counted {
  readonly usage: Usage;
  readonly source: 'provider' | 'estimate';
}

export function countedUsage(
  { usage, input, pieces, calls }: Reply,
  estimate: Pick<Usage, 'inputTokens' | 'outputTokens'>,
): Counted {
  const hasContent = pieces.length > 0 || calls.length > 0;
  const knowsInput = (usage?.inputTokens ?? 0) > 0;
  const knowsOutput = usage?.outputTokens !== undefined && (usage.outputTokens > 0 || !hasContent);
  return {
    usage: {
      ...estimate,
      ...input,
      ...usage,
      inputTokens: (knowsInput ? usage?.inputTokens : input?.inputTokens) || estimate.inputTokens,
      outputTokens: (knowsOutput ? usage?.outputTokens : undefined) ?? estimate.outputTokens,
    },
    source: knowsInput && knowsOutput ? 'provider' : 'estimate',
  };
}
