// Chooses the provider: by the flags, then the configuration, then an Ollama that answers on its port, then offline.
// A cloud provider is never chosen because its key is in the environment: it is named.
import { checkArguments } from '../../errors/arguments.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { chooseProvider as choose, needsProbe, type OllamaFinding } from '../../providers/choose.ts';
import { nearNames } from '../../providers/near-names.ts';
import type { ProbeOptions } from '../../providers/ollama/provider.ts';
import type { ModelInfo, Provider } from '../../providers/provider.ts';
import type { ThinkingMode } from '../../providers/thinking.ts';
import type { App } from '../app.ts';
import type { ProviderChoice } from '../conversation.ts';

/** How long a server may take to answer whether it is an Ollama, once it accepted the connection. */
const PROBE_TIMEOUT_MS = 10_000;
/** Limit for a server that appeared after the search began to answer: the next question asks again. */
const OFFER_TIMEOUT_MS = 1_000;
/** An unknown window is expensive: what does not fit is cut off unseen, or refused. So its server is waited for. */
const WINDOW_TIMEOUT_MS = 10_000;
/**
 * Tokens of context that a local server is asked for by default: room for the tools, an output of one, and a
 * conversation. It reserves memory for all of them: see docs/providers.md.
 */
const DEFAULT_LOCAL_WINDOW = 16_384;

const MAX_SHOWN_MODELS = 20;
/** The search, which is not a model. */
export const OFFLINE = 'offline';
/** How a server fails that has no list of models. */
const WITHOUT_LIST: readonly string[] = ['PROVIDER_FAILED', 'PROVIDER_BROKEN_STREAM', 'MODEL_NOT_FOUND'];

/** The provider and model to use. Missing members are chosen: by the settings, then by availability. */
export interface ProviderWish {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The caller may give up waiting. */
export interface Interruptible {
  readonly signal?: AbortSignal | undefined;
}

/** A wish that also says how much the model is to think. */
export interface AnswererWish extends ProviderWish {
  readonly thinking?: ThinkingMode | undefined;
}

/** What a local server offers beyond the port of providers. */
interface LocalServer extends Provider {
  readonly host: string;
  probe(options: ProbeOptions): Promise<OllamaFinding>;
  ownWindow(model: string, options: { readonly signal: AbortSignal }): Promise<number | undefined>;
}

/**
 * The provider, its model, and why: as wished for, as configured, an Ollama that answers, else `offline`.
 *
 * @example
 * const { provider, model, why } = await chooseProvider(app, { provider: 'ollama' });
 * @throws OllmError PROVIDER_UNKNOWN, MODEL_NOT_FOUND, PROVIDER_KEY, PROVIDER_UNREACHABLE (only for one that was named)
 */
export async function chooseProvider(
  app: App,
  wish: ProviderWish = {},
  options: Interruptible & { readonly onWait?: ((notice: string) => void) | undefined } = {},
): Promise<ProviderChoice> {
  const table = { app: 'App', wish: { 'provider?': 'text', 'model?': 'text' }, options: 'object' } as const;
  checkArguments('chooseProvider', table, [app, wish, options]);
  const { signal, onWait } = options;
  const { config, providers } = app;
  const isConfigured = wish.provider === undefined && config.provider !== undefined;
  const configuredBy = {
    configured: config.provider,
    variable: isConfigured ? variableThatSet(app, 'provider') : undefined,
  };
  const input = { flag: wish.provider, ...configuredBy, known: providers.names };
  const ollama = needsProbe(input) ? await probeOllama(app, { signal, onWait }) : undefined;
  const { provider: name, by, sentence } = choose({ ...input, ollama });
  if (by === 'fallback' && wish.model !== undefined) throw withoutProvider(wish.model, providers.names);
  const provider = await providers.load(name);
  // The search of `offline` is a model of its own, whatever model is configured.
  if (name === OFFLINE && wish.model !== undefined) await requireModel(provider, wish.model, { signal });
  // The configured model belongs to the configured provider, or to the one that was found; not to `offline`.
  const configured = (name === config.provider && name !== OFFLINE) || by === 'found' ? config.model : undefined;
  const models = ollama?.answers && by === 'found' ? ollama.models : undefined;
  const model =
    wish.model ??
    configured ??
    config.providers.compatible?.[name]?.model ??
    defaultModel(provider, models ?? (await provider.models({ signal })));
  const contextWindow = await windowOf(app, provider, model, { signal });
  if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped. Nothing was changed.');
  return { provider, model, contextWindow, why: sentence, ...(by === 'fallback' && { isStandIn: true }) };
}

/**
 * Whether the provider has this model, as far as it has a list at all: a gateway without one may run it all the same,
 * and says so with the first request.
 *
 * @throws OllmError MODEL_NOT_FOUND, with those that there are; PROVIDER_KEY, PROVIDER_UNREACHABLE, PROVIDER_TIMEOUT
 */
export async function requireModel(provider: Provider, model: string, { signal }: Interruptible = {}): Promise<void> {
  const models = await listedModels(provider, signal);
  // Ollama takes "llama3.2" for "llama3.2:latest".
  if (models === undefined || models.includes(model) || models.includes(`${model}:latest`)) return;
  throw new OllmError('MODEL_NOT_FOUND', `The provider ${provider.name} has no model ${JSON.stringify(model)}.`, {
    hint:
      models.length === 0
        ? 'It has none at all yet.'
        : `It has: ${nearNames(models, model).join(', ')}${models.length > MAX_SHOWN_MODELS ? ' and others' : ''}.`,
    data: { provider: provider.name, model, models },
  });
}

/** Undefined where it answers, and has no list. */
async function listedModels(
  provider: Provider,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  try {
    const names = (await provider.models({ signal })).map(({ name }) => name);
    return names.length === 0 && !isLocalServer(provider) ? undefined : names;
  } catch (error) {
    if (isOllmError(error) && WITHOUT_LIST.includes(error.code)) return undefined;
    throw error;
  }
}

/** Undefined where a file of the configuration did, or where it is not set. */
function variableThatSet({ configuration }: App, key: string): string | undefined {
  const source = configuration.explain().find((row) => row.key === key)?.source;
  return source !== undefined && /^[A-Z][A-Z0-9_]*$/.test(source) ? source : undefined;
}

/** A user who names a model wants that model, not the search that replaces a missing one. */
function withoutProvider(model: string, names: readonly string[]): OllmError {
  const message = `No provider was named for the model ${JSON.stringify(model)}, and no Ollama with a model answers here.`;
  const hint = `Name one with --provider, or as provider in the configuration: ${names.join(', ')}.`;
  return new OllmError('MODEL_NOT_FOUND', message, { hint, data: { model } });
}

async function probeOllama(
  app: App,
  {
    signal,
    onWait,
    timeoutMs = PROBE_TIMEOUT_MS,
  }: Interruptible & { readonly onWait?: ((notice: string) => void) | undefined; readonly timeoutMs?: number },
): Promise<OllamaFinding | undefined> {
  if (!app.providers.names.includes('ollama')) return undefined;
  const provider = await app.providers.load('ollama');
  if (!isLocalServer(provider)) return undefined;
  const onSlow = onWait && (() => onWait(`Waiting for Ollama at ${provider.host}: it has not answered yet.`));
  return provider.probe({ timeoutMs, onSlow, signal });
}

/** Whether an Ollama is there, or a program in its place that accepts connections. */
export async function ollamaAccepts(app: App, { signal }: Interruptible = {}): Promise<boolean> {
  const found = await probeOllama(app, { signal, timeoutMs: OFFER_TIMEOUT_MS });
  return found !== undefined && (found.answers || found.accepts);
}

/** A sentence that offers the model of an Ollama that answers by now, in a conversation that the search began. */
export async function offeredModel(app: App, { signal }: Interruptible = {}): Promise<string | undefined> {
  const found = await probeOllama(app, { signal, timeoutMs: OFFER_TIMEOUT_MS });
  if (!found?.answers || found.models.length === 0) return undefined;
  const model = app.config.model ?? found.models[0]!.name;
  return `Ollama answers at ${found.host} now, with the model ${model}: /provider ollama or --provider ollama continues with it.`;
}

/**
 * The first model of a local server. Elsewhere models have different costs: one is chosen automatically only if it is
 * the only one.
 */
function defaultModel(provider: Provider, models: readonly Pick<ModelInfo, 'name'>[]): string {
  const [first, second] = models;
  if (first !== undefined && (second === undefined || isLocalServer(provider))) return first.name;
  const data = { provider: provider.name, models: models.map(({ name }) => name) };
  if (first === undefined) {
    throw new OllmError('MODEL_NOT_FOUND', `The provider ${provider.name} has no model yet.`, {
      hint: 'Get one (for Ollama: "ollama pull llama3.2"), or choose another provider with --provider.',
      data,
    });
  }
  const shown = data.models.slice(0, MAX_SHOWN_MODELS).join(', ');
  throw new OllmError('MODEL_NOT_FOUND', `The provider ${provider.name} has several models, and none was named.`, {
    hint: `Name one with --model, with /provider ${provider.name} MODEL, or as model in the configuration: ${shown}${models.length > MAX_SHOWN_MODELS ? ', …' : ''}.`,
    data,
  });
}

async function windowOf(
  app: App,
  provider: Provider,
  model: string,
  { signal }: Interruptible,
): Promise<number | undefined> {
  const { contextLength } = app.config.providers.ollama;
  const isLocal = isLocalServer(provider);
  if (isLocal && contextLength !== undefined) return contextLength;
  const limit = AbortSignal.timeout(WINDOW_TIMEOUT_MS);
  const options = { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) };
  try {
    const own = isLocal ? await provider.ownWindow(model, options) : undefined;
    if (own !== undefined) return own;
    const most = wholeTokens(
      (await provider.contextWindow?.(model, options)) ?? provider.capabilities.maxContextWindow,
    );
    return isLocal ? Math.min(most ?? DEFAULT_LOCAL_WINDOW, DEFAULT_LOCAL_WINDOW) : most;
  } catch (error) {
    // The request itself will report the fault.
    app.log.warn({ service: 'providers', operation: 'context-window', model, error }, 'The window is not known');
    // A local server that is asked for no window takes a small one, and cuts off what does not fit without a word.
    return isLocal ? DEFAULT_LOCAL_WINDOW : undefined;
  }
}

/** A server that does not know says 0, or something else that no journal takes. */
function wholeTokens(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

function isLocalServer(provider: Provider): provider is LocalServer {
  return 'probe' in provider;
}
