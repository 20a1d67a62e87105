// How much of a model's window requests may take.
import type { App } from './app.ts';
import type { ProviderChoice } from './conversation.ts';

/** Tokens that a request and its answer may take: the model's window, or less where the settings want that. */
export function requestWindow(
  { config }: Pick<App, 'config'>,
  { contextWindow }: Pick<ProviderChoice, 'contextWindow'>,
): number | undefined {
  const { maxTotal } = config.services.budget;
  if (contextWindow === undefined || maxTotal === undefined) return contextWindow ?? maxTotal;
  return Math.min(contextWindow, maxTotal);
}
