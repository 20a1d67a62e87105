// What a request used. Whether the tokens of the input include those of a cache depends on the program, on its version,
// which no record says, and on the provider.
import type { JsonObject } from '../agent.ts';
import { countIn } from '../members.ts';
import type { Used } from '../usage.ts';

/** Adapters of Cline that report the whole input. */
const WHOLE = new Set(['openai', 'litellm', 'doubao', 'fireworks', 'hicap', 'lmstudio', 'qwen', 'xai', 'zai']);
/** When the versions came that report the whole input of every provider. Before, those of Anthropic's form did not. */
const WHOLE_SINCE: Readonly<Record<string, number>> = { roo: Date.UTC(2025, 10, 1), kilo: Date.UTC(2025, 10, 12) };

interface About {
  readonly agent: string;
  readonly provider: string;
  readonly at: number | undefined;
}

export function usedIn(request: JsonObject, about: About): Used | undefined {
  const tokens = countIn(request.tokensIn);
  const outputTokens = countIn(request.tokensOut);
  if (tokens === undefined || outputTokens === undefined) return undefined;
  const cachedTokens = countIn(request.cacheReads) ?? 0;
  const cacheWriteTokens = countIn(request.cacheWrites) ?? 0;
  const cache = cachedTokens + cacheWriteTokens;
  const isWhole = tokens >= cache && reportsWhole(request, about);
  const inputTokens = isWhole ? tokens : tokens + cache;
  if (inputTokens + outputTokens === 0) return undefined;
  return { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, totalCost: request.cost };
}

function reportsWhole({ apiProtocol }: JsonObject, { agent, provider, at }: About): boolean {
  const since = WHOLE_SINCE[agent];
  if (since === undefined) return WHOLE.has(provider);
  return apiProtocol !== 'anthropic' || (at !== undefined && at >= since);
}

/** Cline 3 reports the whole input. */
export function usedInSession(metrics: JsonObject = {}): Used {
  const { inputTokens, outputTokens, cacheReadTokens: cachedTokens, cacheWriteTokens, cost: totalCost } = metrics;
  return { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, totalCost };
}
