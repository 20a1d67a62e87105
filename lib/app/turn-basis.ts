// What a turn of a conversation runs on, whatever is asked in it: the provider, the store, the clock and the hooks.
import type { Provider } from '../providers/provider.ts';
import { counterFor } from '../tokens/counter-for.ts';
import type { TurnDependencies } from '../turn/turn.ts';
import type { App } from './app.ts';
import type { Conversation, ProviderChoice } from './conversation.ts';
import { samplingOf } from './providers/sampling.ts';
import { turnHooks } from './tools/hooks.ts';

export async function turnBasis(app: App, conversation: Conversation) {
  const { choice, store } = conversation;
  const { provider, model, thinking } = choice;
  return {
    provider,
    model,
    thinking,
    sampling: samplingOf(app, provider.name),
    contextWindow: requestWindow(app, choice),
    counter: await counterFor({ provider: provider.name, model }),
    store,
    clock: app.clock,
    log: app.log,
    redactor: { redact: await app.redactor() },
    hooks: turnHooks(app, conversation),
  } satisfies TurnDependencies;
}

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
