// Models on this machine or on another machine of the user, through the official client. Every failure is a sentence
// that says what to do. Nothing is retried and nothing is cached but the sizes of context windows: what Ollama has can
// change at any time.
import type { ChatResponse, Ollama } from 'ollama';
import { checkArguments } from '../../errors/arguments.ts';
import type { OllmError } from '../../errors/index.ts';
import { type Ids, systemIds } from '../../platform/index.ts';
import { Exchanges, type HttpConnection } from '../http/exchanges.ts';
import type { Failures } from '../http/failures.ts';
import { objectIn } from '../http/read-answer.ts';
import { vectorsIn } from '../http/read-vectors.ts';
import { jsonOrText } from '../json-or-text.ts';
import { loadBlobs } from '../load-blobs.ts';
import type {
  EmbeddingRequest,
  FinishReason,
  ModelInfo,
  ModelRequest,
  ModelToolCall,
  Provider,
  ProviderSignal,
  ReportedUsage,
} from '../provider.ts';
import type { ThinkingMode } from '../thinking.ts';
import { acceptsConnections } from './accepts-connections.ts';
import { LineCheck } from './answer-lines.ts';
import { OLLAMA_HINTS, OLLAMA_VECTOR_HINTS } from './hints.ts';
import { type OllamaHost, parseOllamaHost } from './host.ts';
import { type Abilities, ALL_ABILITIES, toChatRequest } from './request.ts';

/** Where Ollama is, and how long it may be silent. */
export interface OllamaOptions {
  /** From a flag or the configuration; wins over `environmentHost`. */
  readonly host?: string | undefined;
  /** The value of OLLAMA_HOST. */
  readonly environmentHost?: string | undefined;
  /** How long it may send nothing. Loading a large model takes a while. Default 300, which is also the most. */
  readonly timeoutSeconds?: number | undefined;
  /** Names tool calls, which Ollama leaves without. */
  readonly ids?: Ids | undefined;
}

/** Whether an Ollama answered, and which models it has. */
export type OllamaProbe =
  | { readonly answers: true; readonly host: string; readonly models: readonly ModelInfo[] }
  | {
      readonly answers: false;
      readonly host: string;
      /** Whether a program accepted the connection. */
      readonly accepts: boolean;
      readonly reason: string;
    };

/** The wait of a probe, and its progress messages. */
export interface ProbeOptions {
  /** Limit for the answer of a server that accepted the connection. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Called once if a server accepted the connection and has not answered within a second. */
  readonly onSlow?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A provider with the further abilities of Ollama. */
export interface OllamaProvider extends Provider {
  /** Where it is looked for, as a URL without credentials. */
  readonly host: string;
  /**
   * Whether one answers: a refused connection is reported immediately, a server that accepts is waited for, because it
   * may be loading a model. Never throws.
   */
  probe(options?: ProbeOptions): Promise<OllamaProbe>;
  /** Tokens that the model can take in at most, where Ollama knows it. */
  contextWindow(model: string, options?: { readonly signal?: AbortSignal }): Promise<number | undefined>;
  /** Tokens of context that the model is set up with (`PARAMETER num_ctx`), where it is. */
  ownWindow(model: string, options?: { readonly signal?: AbortSignal }): Promise<number | undefined>;
}

const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_PROBE_MS = 10_000;
const SLOW_MS = 1_000;

interface ModelFacts {
  /** Tokens. */
  readonly contextWindow: number | undefined;
  readonly ownWindow: number | undefined;
  readonly abilities: Abilities;
}

const MODES: Readonly<Record<Abilities['thinking'], readonly ThinkingMode[]>> = {
  none: [],
  switch: ['off', 'high'],
  degrees: ['low', 'medium', 'high'],
};

const JSON_TYPE = /^application\/(x-)?(nd)?json/;

/**
 * A provider for a local Ollama. Contacts no server before it is asked something.
 *
 * @example
 * const provider = createOllamaProvider({ host: '127.0.0.1:11434' });
 * const models = await provider.models();
 * @throws OllmError CONFIG_INVALID if the address cannot be used
 */
export function createOllamaProvider(options: OllamaOptions = {}): OllamaProvider {
  checkArguments('createOllamaProvider', { options: { 'host?': 'text' } }, [options]);
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, ids = systemIds } = options;
  const host = parseOllamaHost(options.host ?? options.environmentHost);
  const server = { name: 'ollama', title: 'Ollama', baseUrl: host.url, keyIsNeeded: false, hints: OLLAMA_HINTS };
  const link = new OllamaLink(host, new Exchanges(server, timeoutSeconds), ids);
  const forVectors = { ...server, hints: OLLAMA_VECTOR_HINTS };
  const vectorLink = new OllamaLink(host, new Exchanges(forVectors, timeoutSeconds), ids);
  return {
    name: server.name,
    host: host.url,
    capabilities: {
      streaming: true,
      toolCalling: true,
      tokenCounting: false,
      compaction: false,
      images: true,
      maxContextWindow: undefined,
    },
    models: ({ signal } = {}) => link.models(signal),
    load: async () => void (await import('ollama')),
    stream: (request, { signal }) => link.stream(request, signal),
    embed: (request, { signal }) => vectorLink.embed(request, signal),
    contextWindow: async (model, { signal } = {}) => (await link.factsOf(model, signal)).contextWindow,
    thinkingModes: async (model, { signal } = {}) => MODES[(await link.factsOf(model, signal)).abilities.thinking],
    ownWindow: async (model, { signal } = {}) => (await link.factsOf(model, signal)).ownWindow,

    async probe({ timeoutMs = DEFAULT_PROBE_MS, onSlow, signal } = {}) {
      if (!(await acceptsConnections(host.url, signal))) {
        const reason = `No program accepts connections at ${host.url}.`;
        return { answers: false, host: host.url, accepts: false, reason };
      }
      // Loading the client takes time too, and says nothing about the server.
      await import('ollama');
      const limit = AbortSignal.timeout(timeoutMs);
      const slow = onSlow && setTimeout(onSlow, SLOW_MS).unref();
      try {
        const models = await link.models(signal ? AbortSignal.any([signal, limit]) : limit);
        return { answers: true, host: host.url, models };
      } catch (error) {
        const reason = limit.aborted
          ? `The server at ${host.url} accepted the connection and did not answer within ${timeoutMs / 1000} s.`
          : (error as OllmError).message;
        return { answers: false, host: host.url, accepts: true, reason };
      } finally {
        clearTimeout(slow);
      }
    },
  };
}

/** Puts our requests to one Ollama. */
class OllamaLink {
  readonly #host: OllamaHost;
  readonly #exchanges: Exchanges;
  readonly #ids: Ids;
  readonly #known = new Map<string, ModelFacts>();

  constructor(host: OllamaHost, exchanges: Exchanges, ids: Ids) {
    this.#host = host;
    this.#exchanges = exchanges;
    this.#ids = ids;
  }

  async models(signal: AbortSignal | undefined): Promise<readonly ModelInfo[]> {
    return this.#exchanges.ask({ signal, mediaType: JSON_TYPE }, async (connection, failures) => {
      const { models } = await (await this.#client(connection)).list();
      if (!Array.isArray(models)) throw failures.nonsense('its list of models cannot be read');
      return models
        .filter(({ name, details }) => !isForEmbedding(name, details?.family))
        .map(({ name, size }) => ({ name, sizeBytes: size }));
    });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderSignal, void> {
    const { model } = request;
    const failures = this.#exchanges.failures(model);
    try {
      if (model === '') throw failures.missingModel(undefined);
      const abilities = needsAbilities(request) ? await this.#abilitiesOf(model, signal) : ALL_ABILITIES;
      const chat = toChatRequest(await loadBlobs(request), abilities);
      const options = { signal, model, mediaType: JSON_TYPE, check: (failures: Failures) => new LineCheck(failures) };
      yield* this.#exchanges.run(options, (connection, words) => this.#answer(connection, chat, words));
    } catch (error) {
      throw await failures.namingModels(error, (limit) => this.models(AbortSignal.any([signal, limit])));
    }
  }

  async embed({ model, texts }: EmbeddingRequest, signal: AbortSignal): Promise<readonly Float32Array[]> {
    return this.#exchanges.ask({ signal, model, mediaType: JSON_TYPE }, async (connection, failures) => {
      const { embeddings } = await (await this.#client(connection)).embed({ model, input: [...texts] });
      const vectors = vectorsIn(embeddings, texts.length);
      if (vectors === undefined) throw failures.nonsense('its vectors cannot be read');
      return vectors;
    });
  }

  async *#answer(connection: HttpConnection, chat: ReturnType<typeof toChatRequest>, failures: Failures) {
    const seen = { toolCalls: 0 };
    const client = await this.#client(connection);
    for await (const chunk of await client.chat(chat)) yield* signalsOf(chunk, seen, this.#ids, failures);
  }

  /** The facts that Ollama shows of a model; it is asked once. */
  async factsOf(model: string, signal: AbortSignal | undefined): Promise<ModelFacts> {
    const known = this.#known.get(model);
    if (known) return known;
    const shown = await this.#exchanges.ask({ signal, model, mediaType: JSON_TYPE }, async (connection) =>
      (await this.#client(connection)).show({ model }),
    );
    const facts = {
      contextWindow: contextLength(shown.model_info),
      ownWindow: contextParameter(shown.parameters),
      abilities: abilitiesIn(shown),
    };
    this.#known.set(model, facts);
    return facts;
  }

  /** All of them where Ollama does not say: the request itself will. */
  async #abilitiesOf(model: string, signal: AbortSignal): Promise<Abilities> {
    return this.factsOf(model, signal).then(
      ({ abilities }) => abilities,
      (error: unknown) => {
        if (signal.aborted) throw error;
        return ALL_ABILITIES;
      },
    );
  }

  async #client({ fetch }: HttpConnection): Promise<Ollama> {
    const { Ollama } = await import('ollama');
    const { url, headers } = this.#host;
    return new Ollama({ host: url, headers, fetch });
  }
}

function* signalsOf(
  { message, ...chunk }: ChatResponse,
  seen: { toolCalls: number },
  ids: Ids,
  failures: Failures,
): Generator<ProviderSignal> {
  if (message === undefined && !chunk.done) throw failures.nonsense('a line of its answer holds no message');
  if (message?.thinking) yield { type: 'reasoning', text: message.thinking };
  if (message?.content) yield { type: 'text', text: message.content };
  for (const call of message?.tool_calls ?? []) {
    seen.toolCalls += 1;
    yield { type: 'tool-call', call: toToolCall(call, ids, failures) };
  }
  if (!chunk.done) return;
  if (chunk.prompt_eval_count !== undefined || chunk.eval_count !== undefined) {
    yield { type: 'usage', usage: countsOf(chunk) };
  }
  const reason = seen.toolCalls > 0 ? 'tool-calls' : finishReason(chunk.done_reason);
  yield { type: 'finish', reason, ...(reason === 'other' && { word: chunk.done_reason }) };
}

/** The tokens of a prompt that it had kept are not counted, and then left out. */
function countsOf({ prompt_eval_count: input, eval_count: output }: Partial<ChatResponse>): ReportedUsage {
  return {
    ...(typeof input === 'number' && { inputTokens: input }),
    ...(typeof output === 'number' && { outputTokens: output }),
  };
}

function toToolCall(call: unknown, ids: Ids, failures: Failures): ModelToolCall {
  const { id, function: called } = call as { id?: unknown; function?: { name?: unknown; arguments?: unknown } };
  if (typeof called?.name !== 'string' || called.name === '') throw failures.nonsense('a tool call has no name');
  return {
    callId: typeof id === 'string' && id !== '' ? id : `call-${ids.token()}`,
    name: called.name,
    args: typeof called.arguments === 'string' ? jsonOrText(called.arguments) : (called.arguments ?? {}),
  };
}

function finishReason(reason: string | undefined): FinishReason {
  return reason === undefined || reason === 'stop' ? 'stop' : reason === 'length' ? 'length' : 'other';
}

/** Such a model cannot hold a conversation. */
function isForEmbedding(name: string, family: string | undefined): boolean {
  return /embed/i.test(name) || /bert/i.test(family ?? '');
}

/** A model that cannot call tools refuses every request that offers some. */
function needsAbilities({ tools, messages, thinking }: ModelRequest): boolean {
  return (
    thinking !== undefined || tools.length > 0 || messages.some((each) => 'parts' in each && each.parts.some(isImage))
  );
}

function isImage({ type }: { readonly type: string }): boolean {
  return type === 'image';
}

/** Older versions do not tell. */
function abilitiesIn({ capabilities, details }: { capabilities?: unknown; details?: unknown }): Abilities {
  if (!Array.isArray(capabilities) || capabilities.length === 0) return ALL_ABILITIES;
  const thinks = capabilities.includes('thinking');
  return {
    tools: capabilities.includes('tools'),
    images: capabilities.includes('vision'),
    // https://docs.ollama.com/capabilities/thinking: this family takes degrees, and cannot be switched off.
    thinking: !thinks ? 'none' : objectIn(details).family === 'gptoss' ? 'degrees' : 'switch',
  };
}

/** `model_info` names it after the architecture: `llama.context_length`. */
function contextLength(info: unknown): number | undefined {
  const [, length] = Object.entries(objectIn(info)).find(([key]) => key.endsWith('.context_length')) ?? [];
  return typeof length === 'number' && length > 0 ? length : undefined;
}

/** The parameters come as the lines of a Modelfile: `num_ctx                        32768`. */
function contextParameter(parameters: unknown): number | undefined {
  const [, digits] = (typeof parameters === 'string' && /^num_ctx\s+(\d{1,9})$/m.exec(parameters)) || [];
  return Number(digits) > 0 ? Number(digits) : undefined;
}
