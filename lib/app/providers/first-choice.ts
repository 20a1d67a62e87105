// What could answer at a first start on a machine without Ollama: servers on the ports that they usually have, and
// providers whose key is in a variable. Servers are asked for their models, on 127.0.0.1 only. No key is used: a
// provider in the cloud is named by the user, never found.
import { acceptsConnections } from '../../providers/ollama/accepts-connections.ts';
import type { App } from '../app.ts';
import { keepSetting, userFileOfApp } from '../start/user-file.ts';
import { OFFLINE, ollamaAccepts, type ProviderWish } from './choose-provider.ts';
import { keyOf } from './list-providers.ts';

/** A program that serves models, and where it usually does. */
export interface UsualServer {
  readonly title: string;
  /** The name as a provider, once it is chosen. */
  readonly name: string;
  readonly port: number;
}

const USUAL_SERVERS: readonly UsualServer[] = [
  { title: 'llama.cpp', name: 'llamacpp', port: 8080 },
  { title: 'LM Studio', name: 'lmstudio', port: 1234 },
  { title: 'vLLM', name: 'vllm', port: 8000 },
];

export type FirstChoice =
  | {
      readonly kind: 'server';
      readonly server: UsualServer;
      readonly baseUrl: string;
      readonly models: readonly [string, ...string[]];
    }
  | { readonly kind: 'key'; readonly provider: string; readonly variable: string }
  | { readonly kind: 'search' };

/** A port that is not a server of models may accept and stay silent. */
const PROBE_MS = 1_000;

/** Whether nothing says yet what should answer: no file, no variable, no flag. */
export function isFirstStart({ configuration, fileSystem }: App, { provider, model }: ProviderWish): boolean {
  if (provider !== undefined || model !== undefined) return false;
  if (configuration.files.length > 0 || fileSystem.stat(configuration.userFile) !== undefined) return false;
  return configuration.explain().every(({ key, layer }) => {
    return layer === 'default' || !(key === 'provider' || key === 'model' || key.startsWith('providers.'));
  });
}

/** What can be offered, servers first; nothing where an Ollama is there. Takes at most about a second. */
export async function firstChoices(
  app: App,
  servers: readonly UsualServer[] = USUAL_SERVERS,
): Promise<readonly FirstChoice[]> {
  const found = (await Promise.all(servers.map(serverAt))).filter((each) => each !== undefined);
  const keys = app.providers.names.flatMap((provider): FirstChoice[] => {
    const variable = keyOf(app, provider);
    return variable === undefined || variable === 'none' ? [] : [{ kind: 'key', provider, variable }];
  });
  const choices = [...found, ...keys];
  return choices.length === 0 || (await ollamaAccepts(app)) ? [] : choices;
}

/** Writes the choice into the user's file. @throws OllmError CONFIG_INVALID, IO_FAILED */
export async function keepFirstChoice(app: App, choice: FirstChoice, model: string | undefined): Promise<void> {
  const file = userFileOfApp(app);
  if (choice.kind === 'search') {
    await keepSetting(file, 'provider', OFFLINE);
    return;
  }
  if (choice.kind === 'server') {
    await keepSetting(file, `providers.compatible.${choice.server.name}.baseUrl`, choice.baseUrl);
  }
  await keepSetting(file, 'provider', choice.kind === 'server' ? choice.server.name : choice.provider);
  if (model !== undefined) await keepSetting(file, 'model', model);
}

async function serverAt(server: UsualServer): Promise<FirstChoice | undefined> {
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const signal = AbortSignal.timeout(PROBE_MS);
  if (!(await acceptsConnections(baseUrl, signal))) return undefined;
  const { openAiModels } = await import('../../providers/compatible/vendor.ts');
  try {
    const response = await fetch(`${baseUrl}/models`, { signal, redirect: 'error' });
    const [first, ...rest] = openAiModels(await response.json()).map(({ name }) => name);
    return first === undefined ? undefined : { kind: 'server', server, baseUrl, models: [first, ...rest] };
  } catch {
    // A different program from those: a page, an API, a proxy.
    return undefined;
  }
}
