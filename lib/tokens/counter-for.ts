// Which counter suits a model. Loads the tokenizer when it is first needed, and never for the offline provider.
import type { TokenCounter } from './counter.ts';
import { estimatingCounter } from './estimate.ts';
import { type CountSlice, slicedCounter } from './tokenizer.ts';

interface Family {
  /** Models whose own encoding it is. */
  readonly models: RegExp;
  readonly load: () => Promise<{ countTokens(text: string, options: { disallowedSpecial: Set<string> }): number }>;
}

const O200K: Family = {
  models: /^(gpt-4o|chatgpt-4o|gpt-4\.[1-9]|gpt-[5-9]|gpt-oss|o[1-9])/,
  load: () => import('gpt-tokenizer/encoding/o200k_base'),
};
const CL100K: Family = {
  models: /^(gpt-4(-|$)|gpt-3\.5|text-embedding-)/,
  load: () => import('gpt-tokenizer/encoding/cl100k_base'),
};

const loading = new Map<Family, Promise<CountSlice>>();

/**
 * A counter for this model: exact for the models that a tokenizer was made for, an estimate by the newest one for all
 * others.
 */
export async function counterFor({ provider, model }: { provider: string; model: string }): Promise<TokenCounter> {
  if (provider === 'offline') return estimatingCounter;
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const family = [O200K, CL100K].find(({ models }) => models.test(name));
  const count = await loaded(family ?? O200K);
  return slicedCounter(count, { method: family === undefined ? 'estimated' : 'counted' });
}

function loaded(family: Family): Promise<CountSlice> {
  const known = loading.get(family);
  if (known !== undefined) return known;
  const made = loadTokenizer(family);
  loading.set(family, made);
  return made;
}

async function loadTokenizer({ load }: Family): Promise<CountSlice> {
  const { countTokens } = await load();
  // A special token inside a text is plain text.
  const options = { disallowedSpecial: new Set<string>() };
  return (slice) => countTokens(slice, options);
}
