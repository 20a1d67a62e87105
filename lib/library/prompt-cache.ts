// Whether a request begins like an earlier one, so that a provider can take that part from its cache, and how many
// tokens that saves. It keeps only fingerprints; the caches are those of the providers.
import { hash } from 'node:crypto';
import { checkCalls } from '../errors/arguments.ts';
import type { ModelMessage } from '../providers/provider.ts';
import { estimateTokens } from '../tokens/estimate.ts';

export interface PromptCache {
  /** Remembers the messages as a beginning that was sent. Returns its fingerprint. */
  cachePrefix(prefix: readonly ModelMessage[]): string;
  /** Whether these messages begin with one that is remembered. */
  matches(prefix: readonly ModelMessage[]): boolean;
  /** `savings`: about how many tokens of input the matches shared with earlier requests. */
  getStats(): { readonly hits: number; readonly misses: number; readonly savings: number };
}

/**
 * @example
 * const cache = createPromptCache();
 * cache.cachePrefix(first.messages);
 * cache.matches(second.messages); // true: the second request begins with the first
 */
export function createPromptCache(): PromptCache {
  /** Tokens of each beginning, by its fingerprint. */
  const known = new Map<string, number>();
  const stats = { hits: 0, misses: 0, savings: 0 };
  const cache: PromptCache = {
    cachePrefix(prefix) {
      const beginnings = beginningsOf(prefix);
      const whole = beginnings.at(-1) ?? { fingerprint: fingerprintOf('', ''), tokens: 0 };
      known.set(whole.fingerprint, whole.tokens);
      return whole.fingerprint;
    },
    matches(prefix) {
      const longest = beginningsOf(prefix).findLast(({ fingerprint }) => known.has(fingerprint));
      stats[longest === undefined ? 'misses' : 'hits'] += 1;
      stats.savings += longest?.tokens ?? 0;
      return longest !== undefined;
    },
    getStats: () => ({ ...stats }),
  };
  const prefix = 'list of objects';
  return checkCalls(cache, { cachePrefix: { prefix }, matches: { prefix } });
}

/** The first message, the first two, and so on: each fingerprint continues from the one before. */
function beginningsOf(messages: readonly ModelMessage[]): { readonly fingerprint: string; readonly tokens: number }[] {
  let fingerprint = '';
  let tokens = 0;
  return messages.map((message) => {
    const json = JSON.stringify(message);
    fingerprint = fingerprintOf(fingerprint, json);
    tokens += estimateTokens(json);
    return { fingerprint, tokens };
  });
}

function fingerprintOf(before: string, json: string): string {
  return hash('sha256', `${before}\n${json}`, 'hex').slice(0, 32);
}
