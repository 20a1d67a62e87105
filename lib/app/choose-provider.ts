// Who answers: what the flags say, then the configuration, then an Ollama that answers on its port, then offline.
// A cloud provider is never chosen because its key lies in the environment: it is named.
import type { App } from './app.ts';
import type { ProviderChoice } from './conversation.ts';

export interface ProviderWish {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** @throws OllmError PROVIDER_UNKNOWN, MODEL_NOT_FOUND, PROVIDER_UNREACHABLE (only for a provider that was named) */
export async function chooseProvider(_app: App, _wish: ProviderWish = {}): Promise<ProviderChoice> {
  throw new TypeError('not there yet');
}
