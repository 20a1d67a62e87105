// How each provider is made from the settings. A cloud provider comes here by its name, and is never chosen by itself.
import type { ProjectFiles } from '../discovery/types.ts';
import type { Messages } from '../providers/offline/history.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderLoader } from '../providers/registry.ts';
import type { App } from './app.ts';
import { discoverySettings } from './discovery-settings.ts';

/** A provider that can look up what was said in a session. */
export interface RememberingProvider extends Provider {
  withHistory(messages: () => Messages): Provider;
}

export function isRemembering(provider: Provider): provider is RememberingProvider {
  return 'withHistory' in provider;
}

/** `app` is asked for when a provider is loaded: by then it is whole. */
export function providerLoaders(app: () => App): Readonly<Record<string, ProviderLoader>> {
  return {
    ollama: async () => {
      const { createOllamaProvider } = await import('../providers/ollama/index.ts');
      const { host, timeoutSeconds } = app().config.providers.ollama;
      return createOllamaProvider({ host, timeoutSeconds });
    },
    offline: async (): Promise<RememberingProvider> => {
      const { createOfflineProvider, createHistorySearch } = await import('../providers/offline/index.ts');
      const options = { files: projectFiles(app()), maxPassages: app().config.providers.offline.maxPassages };
      return {
        ...createOfflineProvider(options),
        withHistory: (messages) => createOfflineProvider({ ...options, history: createHistorySearch(messages) }),
      };
    },
  };
}

/** The files of the project; what finds them is loaded when they are first asked for. */
function projectFiles(app: App): ProjectFiles {
  const root = app.paths.project;
  let loaded: Promise<ProjectFiles> | undefined;
  const load = async () => {
    const { createDiscoveryCache, createProjectFiles } = await import('../discovery/index.ts');
    const { discover } = createDiscoveryCache();
    return createProjectFiles({ root, discover, ...(await discoverySettings(app)) });
  };
  const files = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    root,
    list: async (options) => (await files()).list(options),
    read: async (path) => (await files()).read(path),
  };
}
