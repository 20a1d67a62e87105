// The providers that there are, which of them would answer and why, and where each finds its key. A key is named by its
// variable or file, never read here, and no provider is asked anything except an Ollama whether it answers.
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { chooseProvider, type Interruptible, OFFLINE } from './choose-provider.ts';
import { keyPlaces } from './key-file.ts';
import { settingsOfProvider } from './provider-settings.ts';

export interface ProviderRow {
  readonly name: string;
  /** Whether it answers in a session that begins here now. */
  readonly answers: boolean;
  /** The variable or the file that holds its key; `none` where it needs one and has none. Absent: it needs none. */
  readonly key?: string | undefined;
  /** Where it is, if not where its vendor has it. */
  readonly address?: string | undefined;
}

interface ProviderList {
  readonly providers: readonly ProviderRow[];
  /** Why the one that answers does, or why none can: a sentence. */
  readonly why: string;
  /** The model that would answer. */
  readonly model?: string | undefined;
}

const NO_KEY = 'none';
const AWS_VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/**
 * @example
 * const { providers, why } = await listProviders(app);
 * providers[0]; // { name: 'ollama', answers: true, address: 'http://127.0.0.1:11434' }
 */
export async function listProviders(app: App, { signal }: Interruptible = {}): Promise<ProviderList> {
  const chosen = await chosenOf(app, signal);
  const providers = app.providers.names.map((name): ProviderRow => {
    return { name, answers: name === chosen.name, key: keyOf(app, name), address: addressOf(app, name) };
  });
  return { providers, why: chosen.why, model: chosen.model };
}

/** Where the key of a provider is; `none` where there is none. Undefined: it needs none. */
export function keyOf(app: App, name: string): string | undefined {
  if (name === OFFLINE || name === 'ollama') return undefined;
  const { apiKeyEnv, apiKeyFile } = settingsOfProvider(app.config, name);
  const { env, fileSystem } = app;
  const { file } = keyPlaces(app, name);
  if (apiKeyEnv === undefined && apiKeyFile === undefined && file === undefined) return undefined;
  if (apiKeyEnv !== undefined && env[apiKeyEnv]?.trim()) return apiKeyEnv;
  if (file && fileSystem.stat(file) !== undefined) return file;
  return name === 'bedrock' && AWS_VARIABLES.every((each) => env[each]) ? AWS_VARIABLES[0] : NO_KEY;
}

function addressOf(app: App, name: string): string | undefined {
  return name === 'ollama' ? app.config.providers.ollama.host : settingsOfProvider(app.config, name).baseUrl;
}

async function chosenOf(app: App, signal: AbortSignal | undefined) {
  try {
    const { provider, model, why } = await chooseProvider(app, {}, { signal });
    return { name: provider.name, model, why };
  } catch (error) {
    if (!isOllmError(error) || error.code === 'INTERRUPTED') throw error;
    // It is chosen all the same: nothing else answers in its place.
    return { name: app.config.provider, why: `${error.message} ${error.hint ?? ''}`.trim() };
  }
}
