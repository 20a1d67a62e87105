// A provider whose reports of usage include the cost, if a price is known.
import type { Usage } from '../messages/index.ts';
import { costOf, type UserPrices } from './prices.ts';
import type { Provider, ProviderSignal } from './provider.ts';

interface PriceOptions {
  /** As they are with each answer. */
  readonly prices: () => UserPrices;
  /** Whose price list holds, if one does: not that of a vendor whose models another server runs. */
  readonly listOf?: string | undefined;
}

/** Wraps a provider: adds `totalCost` to its usage, and computes the cost of any usage. */
export function priced<P extends Provider>(provider: P, { prices, listOf = '' }: PriceOptions): P {
  const priceOf = (usage: Usage, model: string) => costOf(usage, listOf, model, prices());
  const withCost = (signal: ProviderSignal, model: string): ProviderSignal => {
    if (signal.type !== 'usage' || signal.usage.totalCost !== undefined) return signal;
    const { inputTokens, outputTokens } = signal.usage;
    if (inputTokens === undefined || outputTokens === undefined) return signal;
    const totalCost = priceOf({ ...signal.usage, inputTokens, outputTokens }, model);
    return totalCost === undefined ? signal : { type: 'usage', usage: { ...signal.usage, totalCost } };
  };
  return {
    ...provider,
    costOf: priceOf,
    async *stream(request, options): AsyncGenerator<ProviderSignal, void> {
      for await (const signal of provider.stream(request, options)) yield withCost(signal, request.model);
    },
  };
}
