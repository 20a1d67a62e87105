// How far the tokens that a model reports are from those that were counted here: learnt from each report, and kept for
// each model.
import { checkArguments } from '../errors/arguments.ts';
import type { UsageReported } from '../events/index.ts';

/** Below that, the form around a text outweighs it. */
const LEAST_COMPARED_TOKENS = 64;
/**
 * Factors outside do not come from tokenizers: some servers leave out cached tokens. Too low would overflow windows.
 */
const LEAST_FACTOR = 0.7;
const MOST_FACTOR = 3;
const MAX_FACTORS = 16;

/** Reported tokens divided by those counted here, by provider and model. The newest last. */
export type TokenFactors = Record<string, number>;

export interface Counting {
  readonly factors: TokenFactors;
  readonly provider: string;
  readonly model: string;
}

/**
 * By what a count that was made here is multiplied for this model; 1 until it reported. Default: the model of the
 * session.
 *
 * @example
 * const expected = Math.ceil(counter.count(text).count * tokenFactor(states.budget));
 */
export function tokenFactor(
  state: Counting,
  asked: { readonly provider: string; readonly model: string } = state,
): number {
  const table = { state: { factors: 'object' }, asked: { provider: 'text', model: 'text' } } as const;
  checkArguments('tokenFactor', table, [state, asked]);
  const { provider, model } = asked;
  return state.factors[modelKey(provider, model)] ?? 1;
}

/** Half of the known factor stays, so that a single odd request does not change it completely. */
export function learnFactor(
  { factors, provider: asked }: Pick<Counting, 'factors' | 'provider'>,
  usage: UsageReported,
): void {
  const { provider = asked, model, source, inputTokens, estimatedTokens = 0 } = usage;
  if (source !== 'provider' || estimatedTokens < LEAST_COMPARED_TOKENS) return;
  const seen = inputTokens / estimatedTokens;
  if (seen < LEAST_FACTOR || seen > MOST_FACTOR) return;
  const key = modelKey(provider, model);
  const known = factors[key] ?? seen;
  delete factors[key];
  factors[key] = Math.round(((known + seen) / 2) * 1000) / 1000;
  const [oldest] = Object.keys(factors);
  if (oldest !== undefined && Object.keys(factors).length > MAX_FACTORS) delete factors[oldest];
}

/** With a slash, so that it is never the name of anything that objects have by themselves, nor a number. */
function modelKey(provider: string, model: string): string {
  return `${provider}/${model}`;
}
