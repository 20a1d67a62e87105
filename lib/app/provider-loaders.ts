// How each provider is made from the settings. A cloud provider comes here by its name, and is never chosen by itself.
// What none of them finds out by itself is put in here: where its key is, what its answers cost.
import { resolve } from 'node:path';
import type { ResolvedConfig } from '../config/types.ts';
import type { ProjectFiles } from '../discovery/types.ts';
import type { Vendor } from '../providers/ai-sdk/vendor.ts';
import type { KeyPlaces } from '../providers/key.ts';
import type { Messages } from '../providers/offline/history.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderLoader } from '../providers/registry.ts';
import type { App } from './app.ts';
import { discoverySettings } from './discovery-settings.ts';
import { readTextFile } from './read-text-file.ts';

/** A provider that can look up what was said in a session. */
export interface RememberingProvider extends Provider {
  withHistory(messages: () => Messages): Provider;
}

export function isRemembering(provider: Provider): provider is RememberingProvider {
  return 'withHistory' in provider;
}

type Loaders = Readonly<Record<string, ProviderLoader>>;

const MAX_KEY_FILE_BYTES = 64 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 120;

/** `app` is asked for when a provider is loaded: by then it is whole. */
export function providerLoaders(app: () => App, config: ResolvedConfig): Loaders {
  // What comes with ollm keeps its name, whatever a server of the user's is called.
  return { ...compatibleLoaders(app, config), ...builtInLoaders(app) };
}

function builtInLoaders(app: () => App): Loaders {
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

/** The servers that the user has named. */
function compatibleLoaders(app: () => App, { providers }: ResolvedConfig): Loaders {
  const servers = Object.entries(providers.compatible ?? {});
  return Object.fromEntries(
    servers.map(([name, { baseUrl, apiKeyEnv, apiKeyFile, contextWindow, timeoutSeconds }]) => [
      name,
      async () => {
        const { compatible } = await import('../providers/compatible/vendor.ts');
        const setting = `providers.compatible.${name}.baseUrl`;
        const key = keyPlaces(app(), { apiKeyEnv, apiKeyFile });
        return cloudProvider(compatible({ name, baseUrl, setting, key, contextWindow }), timeoutSeconds);
      },
    ]),
  );
}

async function cloudProvider(vendor: Vendor, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS): Promise<Provider> {
  const { createAiSdkProvider } = await import('../providers/ai-sdk/provider.ts');
  return createAiSdkProvider(vendor, { timeoutSeconds });
}

/** Where a key is looked for. It is read anew for each request, and kept nowhere. */
function keyPlaces(
  { env, fileSystem, paths }: App,
  { apiKeyEnv, apiKeyFile }: { readonly apiKeyEnv?: string | undefined; readonly apiKeyFile?: string | undefined },
): KeyPlaces | undefined {
  if (apiKeyEnv === undefined && apiKeyFile === undefined) return undefined;
  const file = apiKeyFile && resolve(paths.home, apiKeyFile.replace(/^~(?=\/)/, env.HOME ?? '~'));
  return {
    variable: apiKeyEnv,
    file,
    fromVariable: () => (apiKeyEnv === undefined ? undefined : env[apiKeyEnv]),
    fromFile: () => (file ? readTextFile(fileSystem, file, MAX_KEY_FILE_BYTES) : undefined),
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
