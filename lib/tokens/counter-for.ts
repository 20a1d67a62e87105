// Which counter suits a model. Loads the tokenizer when it is first needed, and never for the offline provider.
import type { TokenCounter } from './counter.ts';
import { estimatingCounter } from './estimate.ts';
import { type CountSlice, slicedCounter } from './tokenizer.ts';

/** Models whose own encoding is o200k. */
const O200K_MODELS = /^(gpt-4o|chatgpt-4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|o[1-9])/;

let loading: Promise<CountSlice> | undefined;

/** A counter for this model: exact for the models that the tokenizer was made for, an estimate by it for all others. */
export async function counterFor({ provider, model }: { provider: string; model: string }): Promise<TokenCounter> {
  if (provider === 'offline') return estimatingCounter;
  loading ??= loadTokenizer();
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return slicedCounter(await loading, { method: O200K_MODELS.test(name) ? 'counted' : 'estimated' });
}

async function loadTokenizer(): Promise<CountSlice> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // What looks like a special token in a text is text.
  const options = { disallowedSpecial: new Set<string>() };
  return (slice) => countTokens(slice, options);
}
