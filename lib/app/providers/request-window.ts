// How much a request to a model may take: the model's window, and the user's bound.
import type { Provider } from '../../providers/provider.ts';
import type { App } from '../app.ts';
import type { ProviderChoice } from '../conversation.ts';

/** Tokens that a request and its answer may take: the model's window, or less where the settings want that. */
export function requestWindow(
  { config }: Pick<App, 'config'>,
  {
    provider,
    contextWindow: chosen,
  }: Pick<ProviderChoice, 'contextWindow'> & {
    readonly provider: string | Pick<Provider, 'name'>;
  },
): number | undefined {
  const { maxTotal } = config.services.budget;
  // It may have been changed since the model was chosen.
  const name = typeof provider === 'string' ? provider : provider.name;
  const contextWindow = (name === 'ollama' ? config.providers.ollama.contextLength : undefined) ?? chosen;
  if (contextWindow === undefined || maxTotal === undefined) return contextWindow ?? maxTotal;
  return Math.min(contextWindow, maxTotal);
}
