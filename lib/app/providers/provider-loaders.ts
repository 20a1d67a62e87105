// How each provider is made from the settings. A cloud provider comes here by its name, and is never chosen by itself.
// What none of them finds out by itself is put in here: where its key is, what its answers cost.
import type { ResolvedConfig } from '../../config/types.ts';
import { once } from '../../platform/once.ts';
import type { Vendor } from '../../providers/ai-sdk/vendor.ts';
import type { AwsCredentials } from '../../providers/bedrock/sign.ts';
import { isThisMachine } from '../../providers/http/base-url.ts';
import type { KeyPlaces } from '../../providers/key.ts';
import type { PastMessages } from '../../providers/offline/history.ts';
import type { OfflineSearch } from '../../providers/offline/search.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ProviderLoader } from '../../providers/registry.ts';
import { BUILTIN_TOOL_NAMES } from '../../tools/builtin/names.ts';
import type { App, Environment } from '../app.ts';
import { projectFiles } from '../repository/project-files.ts';
import { keyPlaces } from './key-file.ts';
import { settingsOfProvider } from './provider-settings.ts';

/** A provider that can look up earlier messages of a session. */
interface RememberingProvider extends Provider {
  withHistory(messages: () => PastMessages): Provider;
}

export function isRemembering(provider: Provider): provider is RememberingProvider {
  return 'withHistory' in provider;
}

type Loaders = Readonly<Record<string, ProviderLoader>>;

const DEFAULT_TIMEOUT_SECONDS = 120;

/** How long the provider of this name may send nothing, by the settings. */
export function timeoutSecondsOf(config: ResolvedConfig, name: string): number {
  return settingsOfProvider(config, name).timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
}

/** `app` is asked for when a provider is loaded: by then it is whole. */
export function providerLoaders(app: () => App, config: ResolvedConfig): Loaders {
  // A provider that comes with ollm keeps its name, even if the user gives a server the same name.
  return { ...compatibleLoaders(app, config), ...builtInLoaders(app) };
}

type CloudSettings = Pick<ResolvedConfig['providers'], 'anthropic' | 'gemini' | 'bedrock'>;

function builtInLoaders(app: () => App): Loaders {
  const cloud = <Name extends keyof CloudSettings>(
    name: Name,
    vendorOf: (settings: CloudSettings[Name] & { readonly key: KeyPlaces }) => Promise<Vendor>,
  ) => {
    return async (): Promise<Provider> => {
      const settings = app().config.providers[name];
      const { baseUrl, timeoutSeconds } = settings;
      const vendor = await vendorOf({ ...settings, key: keyPlaces(app(), name) });
      return cloudProvider(app(), vendor, { timeoutSeconds, isVendor: baseUrl === undefined });
    };
  };
  return {
    ollama: async () => {
      const { priced } = await import('../../providers/priced.ts');
      const { createOllamaProvider } = await import('../../providers/ollama/index.ts');
      const { splittingThoughts } = await import('../../providers/think-tags.ts');
      const { host, timeoutSeconds, thinkTags } = app().config.providers.ollama;
      const provider = createOllamaProvider({ host, timeoutSeconds });
      return priced(thinkTags ? splittingThoughts(provider) : provider, { prices: () => app().config.prices ?? {} });
    },
    openai: async () => {
      const { timeoutSeconds, thinkTags, ...settings } = app().config.providers.openai;
      const { openai } = await import('../../providers/openai/vendor.ts');
      const vendor = openai({ ...settings, key: keyPlaces(app(), 'openai') });
      const isVendor = settings.baseUrl === undefined;
      const provider = await cloudProvider(app(), vendor, { timeoutSeconds, isVendor });
      return isVendor ? provider : thinkingAloud(provider, vendor, thinkTags);
    },
    anthropic: cloud('anthropic', async (settings) =>
      (await import('../../providers/anthropic/vendor.ts')).anthropic(settings),
    ),
    gemini: cloud('gemini', async (settings) => (await import('../../providers/gemini/vendor.ts')).gemini(settings)),
    bedrock: cloud('bedrock', async (settings) => {
      const { bedrock } = await import('../../providers/bedrock/vendor.ts');
      const { env, clock } = app();
      const options = { credentials: () => awsCredentials(env), now: () => new Date(clock.now()) };
      return bedrock({ ...settings, region: settings.region ?? env.AWS_REGION, ...options });
    }),
    offline: async (): Promise<RememberingProvider> => {
      const { createOfflineProvider } = await import('../../providers/offline/index.ts');
      const { maxPassages } = app().config.providers.offline;
      const toolNames = [...BUILTIN_TOOL_NAMES, ...app().tools.map(({ name }) => name)];
      const files = projectFiles(app());
      const options = { files, search: searchWhenAsked(app(), files), maxPassages, toolNames };
      return {
        ...createOfflineProvider(options),
        withHistory: (history) => createOfflineProvider({ ...options, history }),
      };
    },
  };
}

/** What searches is loaded with the first question: a greeting needs none of it. */
function searchWhenAsked(app: App, files: ReturnType<typeof projectFiles>): OfflineSearch {
  const search = once(async () => (await import('./project-search.ts')).projectSearch(app, files));
  return {
    find: async (question, options) => (await search()).find(question, options),
    rank: async (question, texts) => (await search()).rank(question, texts),
  };
}

/** The servers that the user has named. */
function compatibleLoaders(app: () => App, { providers }: ResolvedConfig): Loaders {
  const servers = Object.entries(providers.compatible ?? {});
  return Object.fromEntries(
    servers.map(([name, { baseUrl, timeoutSeconds, thinkTags, ...settings }]) => [
      name,
      async () => {
        const { compatible } = await import('../../providers/compatible/vendor.ts');
        const setting = `providers.compatible.${name}.baseUrl`;
        const vendor = compatible({ name, baseUrl, setting, key: keyPlaces(app(), name), ...settings });
        const provider = await cloudProvider(app(), vendor, { timeoutSeconds, isVendor: false });
        return thinkingAloud(provider, vendor, thinkTags);
      },
    ]),
  );
}

/** What a server's models write between <think> and </think> is reasoning: by the setting, or on this machine. */
async function thinkingAloud(provider: Provider, { baseUrl }: Vendor, thinkTags: boolean | undefined) {
  if (!(thinkTags ?? isThisMachine(new URL(baseUrl).hostname))) return provider;
  return (await import('../../providers/think-tags.ts')).splittingThoughts(provider);
}

interface CloudOptions {
  readonly timeoutSeconds?: number | undefined;
  /** Whether its models are run, and priced, by the vendor itself. */
  readonly isVendor: boolean;
}

async function cloudProvider(app: App, vendor: Vendor, options: CloudOptions): Promise<Provider> {
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, isVendor } = options;
  const [{ createAiSdkProvider }, { priced }] = await Promise.all([
    import('../../providers/ai-sdk/provider.ts'),
    import('../../providers/priced.ts'),
  ]);
  const provider = createAiSdkProvider(vendor, { timeoutSeconds });
  return priced(provider, { prices: () => app.config.prices ?? {}, listOf: isVendor ? vendor.name : undefined });
}

function awsCredentials(env: Environment): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = env;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }) };
}
