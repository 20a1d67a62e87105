// What a request used, from the vendor's own numbers. Pure. A number that the vendor did not give is left out, not
// zero.
import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ReportedUsage } from '../provider.ts';

/** Undefined if the vendor reported nothing. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ReportedUsage | undefined {
  const input = inputTokens.total ?? sum(inputTokens.noCache, inputTokens.cacheRead, inputTokens.cacheWrite);
  const output = outputTokens.total ?? sum(outputTokens.text, outputTokens.reasoning);
  if (input === undefined && output === undefined) return undefined;
  return {
    ...(input !== undefined && { inputTokens: count(input) }),
    ...(output !== undefined && { outputTokens: count(output) }),
    ...optional('cachedTokens', inputTokens.cacheRead),
    ...optional('cacheWriteTokens', inputTokens.cacheWrite),
    ...optional('reasoningTokens', outputTokens.reasoning),
  };
}

function optional(name: 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens', tokens: number | undefined) {
  return tokens === undefined || count(tokens) === 0 ? {} : { [name]: count(tokens) };
}

/** A server that counts badly shall not end a turn. */
function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}

function sum(...numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, number) => total + number, 0);
}
