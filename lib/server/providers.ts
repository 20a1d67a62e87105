// What can answer in a session that is started here: ollm itself, with the models of all its providers.
import type { PROVIDER_ROUTES } from '../api/providers.ts';
import type { App } from '../app/app.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { isOllmError } from '../errors/index.ts';
import type { Handlers, NamesOf } from './context.ts';
import { ApiFailure } from './failure.ts';

const CAPABILITIES = {
  supportsRuntimePermissionRequests: true,
  supportsThinkingModeControl: true,
  supportsModelSwitching: true,
  supportsSessionResume: true,
  supportsSessionStop: true,
} as const;

/** How long a provider may take to list its models. */
const LIST_MS = 5_000;

export const providerHandlers: Handlers<NamesOf<typeof PROVIDER_ROUTES>> = {
  async listProviders() {
    return { providers: [{ id: OWN_AGENT, family: 'sdk', capabilities: CAPABILITIES }] };
  },

  async listModels({ parameters, context: { app }, signal }) {
    requireAnswering(parameters.provider);
    const lists = await Promise.all(app.providers.names.map((name) => modelsOf(app, name, signal)));
    return {
      models: lists.flatMap(({ models }) => models),
      unreachable: lists.flatMap(({ problem }) => problem ?? []),
    };
  },
};

/** @throws ApiFailure UNSUPPORTED_PROVIDER */
export function requireAnswering(provider: string): void {
  if (provider === OWN_AGENT) return;
  throw new ApiFailure('UNSUPPORTED_PROVIDER', `“${provider}” cannot answer here.`, { providers: [OWN_AGENT] });
}

interface Models {
  readonly models: readonly {
    readonly value: string;
    readonly displayName: string;
    readonly answerer: string;
    readonly default?: boolean;
    readonly contextWindow?: number;
  }[];
  readonly problem?: { readonly answerer: string; readonly code: string; readonly message: string };
}

async function modelsOf({ providers, config }: App, answerer: string, signal: AbortSignal): Promise<Models> {
  try {
    const provider = await providers.load(answerer);
    const listed = await provider.models({ signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]) });
    const models = listed.map(({ name, contextWindow }) => ({
      value: name,
      displayName: name,
      answerer,
      ...(config.provider === answerer && config.model === name && { default: true }),
      ...(contextWindow !== undefined && { contextWindow }),
    }));
    return { models };
  } catch (error) {
    if (signal.aborted) throw error;
    const code = isOllmError(error) ? error.code : 'PROVIDER_TIMEOUT';
    const message = isOllmError(error) ? error.message : 'The provider did not list its models in time.';
    return { models: [], problem: { answerer, code, message } };
  }
}
