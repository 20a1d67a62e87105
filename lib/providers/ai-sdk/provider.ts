// A provider over one vendor's package of the AI SDK. The package is loaded when it is first used, and a model of it is
// made for each exchange: only the sizes of windows are kept from one request to the next. Nothing is asked twice.
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type Ids, systemIds } from '../../platform/index.ts';
import { parseJson } from '../../platform/json.ts';
import { Exchanges } from '../http/exchanges.ts';
import { interrupted } from '../http/failures.ts';
import { vectorsIn } from '../http/read-vectors.ts';
import { loadBlobs } from '../load-blobs.ts';
import type { EmbeddingRequest, ModelInfo, ModelRequest, Provider, ProviderSignal } from '../provider.ts';
import { type Sampling, unsentOf } from '../sampling.ts';
import type { ThinkingMode } from '../thinking.ts';
import { encodeOpaque } from './opaque.ts';
import { toCallOptions } from './prompt.ts';
import { SignalTranslator } from './signals.ts';
import { type DryRun, modesBy, reasoningOf } from './thinking.ts';
import type { PlainRequest, Vendor, VendorCompaction, VendorCount, VendorEmbedding } from './vendor.ts';

export interface AiSdkOptions {
  /** How long the vendor may send nothing. */
  readonly timeoutSeconds: number;
  /** Names calls that the vendor leaves without a name of their own. */
  readonly ids?: Ids | undefined;
}

interface Abortable {
  readonly signal: AbortSignal;
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;
/** A server that answers with another type may mean a stream, an answer in one piece, or an error: that is seen by the
 * bytes. */
const ANY_TYPE = /^/;

const PLAIN_REQUEST: Omit<ModelRequest, 'model'> = {
  system: '',
  messages: [{ role: 'user', parts: [{ type: 'text', text: '?' }] }],
  tools: [],
  readBlob: async () => undefined,
};

/**
 * The provider that a vendor makes. Contacts no server before it is asked something.
 *
 * @example
 * const provider = createAiSdkProvider(anthropic({ key }), { timeoutSeconds: 120 });
 */
export function createAiSdkProvider(vendor: Vendor, { timeoutSeconds, ids = systemIds }: AiSdkOptions): Provider {
  const link = new VendorLink(vendor, new Exchanges(vendor, timeoutSeconds), ids);
  const windows = new Map<string, number | undefined>();
  const modes = new Map<string, readonly ThinkingMode[]>();
  const { count, compaction, embedding } = vendor;
  return {
    name: vendor.name,
    capabilities: {
      streaming: true,
      toolCalling: true,
      tokenCounting: count !== undefined,
      compaction: compaction !== undefined,
      images: vendor.images,
      maxContextWindow: undefined,
    },
    models: (options = {}) => link.models(options.signal),
    load: (model) => link.load(model),
    stream: (request, options) => link.stream(request, options),
    ...(count && { countTokens: (request, options) => link.countTokens(count, request, options) }),
    ...(embedding && { embed: (request, options) => link.embed(embedding, request, options) }),
    ...(compaction && { compact: (request, options) => link.compact(compaction, request, options) }),

    async thinkingModes(model, { signal } = {}) {
      const known = modes.get(model) ?? vendor.thinkingModes?.(model) ?? (await link.thinkingModes(model, signal));
      modes.set(model, known);
      return known;
    },

    unsent: (request) => link.unsent(request),

    async contextWindow(model, { signal } = {}) {
      if (windows.has(model)) return windows.get(model);
      const listed = async () => (await link.models(signal)).find(({ name }) => name === model)?.contextWindow;
      const known = vendor.windowOf(model) ?? (await listed());
      windows.set(model, known);
      return known;
    },
  };
}

/** Puts our requests to one vendor. */
class VendorLink {
  readonly #vendor: Vendor;
  readonly #exchanges: Exchanges;
  readonly #ids: Ids;

  constructor(vendor: Vendor, exchanges: Exchanges, ids: Ids) {
    this.#vendor = vendor;
    this.#exchanges = exchanges;
    this.#ids = ids;
  }

  async models(signal: AbortSignal | undefined): Promise<readonly ModelInfo[]> {
    const { requests, read } = this.#vendor.models;
    const answers: unknown[] = [];
    for (const request of requests) answers.push(await this.#asked(request, { signal }));
    return read(answers);
  }

  async load(model: string): Promise<void> {
    await this.#dryRun({ ...PLAIN_REQUEST, model }, new AbortController().signal);
  }

  async *stream(request: ModelRequest, { signal }: Abortable): AsyncGenerator<ProviderSignal, void> {
    try {
      yield* this.#signalsOf(request, signal);
    } catch (error) {
      const models = (limit: AbortSignal) => this.models(AbortSignal.any([signal, limit]));
      throw await this.#exchanges.failures(request.model).namingModels(error, models);
    }
  }

  async countTokens(count: VendorCount, request: ModelRequest, { signal }: Abortable): Promise<number> {
    const { model } = request;
    const body = await this.#bodyOf(request, signal);
    const tokens = count.read(await this.#asked(count.request(model, body), { model, signal }));
    if (tokens === undefined) throw this.#exchanges.failures(model).nonsense('its count of tokens is not a number');
    return tokens;
  }

  async compact(compaction: VendorCompaction, request: ModelRequest, { signal }: Abortable) {
    const { model } = request;
    const body = await this.#bodyOf(request, signal);
    const made = compaction.read(await this.#asked(compaction.request(body), { model, signal }));
    if (!made) throw this.#exchanges.failures(model).nonsense('its compaction cannot be read');
    return { opaque: encodeOpaque(model, { kind: 'compaction', metadata: {}, items: made.items }), usage: made.usage };
  }

  thinkingModes(model: string, signal: AbortSignal = new AbortController().signal): Promise<readonly ThinkingMode[]> {
    return modesBy((thinking) => this.#dryRun({ ...PLAIN_REQUEST, model, thinking }, signal));
  }

  unsent({ sampling = {}, ...request }: Parameters<NonNullable<Provider['unsent']>>[0]) {
    const { signal } = new AbortController();
    const bodyOf = async (each: Sampling) =>
      (await this.#dryRun({ ...PLAIN_REQUEST, ...request, sampling: each }, signal)).body;
    return unsentOf(sampling, bodyOf);
  }

  async embed(embedding: VendorEmbedding, request: EmbeddingRequest, { signal }: Abortable) {
    const { model, texts } = request;
    const answer = await this.#asked(embedding.request(request), { model, signal });
    const vectors = vectorsIn(embedding.read(answer), texts.length);
    if (vectors === undefined) throw this.#exchanges.failures(model).nonsense('its vectors cannot be read');
    return vectors;
  }

  #signalsOf(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderSignal, void> {
    const vendor = this.#vendor;
    const options = { model: request.model, signal, mediaType: ANY_TYPE, check: vendor.check };
    const ids = this.#ids;
    return this.#exchanges.run(options, async function* (connection, failures) {
      if (request.model === '') throw failures.missingModel(undefined);
      const model = await vendor.languageModel(request.model, connection);
      const { stream } = await model.doStream(await callOptions(vendor, request, connection.signal));
      const translator = new SignalTranslator(request, { ids, failures, ...vendor });
      for await (const part of stream as ReadableStream<LanguageModelV4StreamPart>) {
        for (const each of translator.take(part)) {
          yield each;
          if (each.type === 'finish') return;
        }
      }
      throw failures.cutOff();
    });
  }

  /** The JSON that a plain request is answered with. */
  async #asked(request: PlainRequest, options: { readonly model?: string; readonly signal?: AbortSignal | undefined }) {
    const { url, body } = request;
    return this.#exchanges.ask({ ...options, url, mediaType: JSON_TYPE }, async (connection, failures) => {
      const proof = await this.#vendor.authorize(request, connection.key);
      const response = await connection.fetch(url, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...proof },
      });
      const answer = parseJson(await response.text());
      if (answer === undefined) throw failures.nonsense('its answer is not JSON');
      return answer;
    });
  }

  /** The body of a request for an answer, written by the vendor's package and not sent. */
  async #bodyOf(request: ModelRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse((await this.#dryRun(request, signal)).body) as Record<string, unknown>;
  }

  async #dryRun(request: ModelRequest, signal: AbortSignal): Promise<DryRun> {
    if (signal.aborted) throw interrupted();
    let body: string | undefined;
    const capture: typeof fetch = async (_input, init) => {
      body = typeof init?.body === 'string' ? init.body : undefined;
      return new Response('', { headers: { 'content-type': this.#vendor.streamType } });
    };
    const connection = { key: this.#exchanges.key(), fetch: capture, signal };
    const model = await this.#vendor.languageModel(request.model, connection);
    const { stream } = await model.doStream(await callOptions(this.#vendor, request, signal));
    const reader = stream.getReader();
    const { value: first } = await reader.read();
    await reader.cancel();
    const warnings = first?.type === 'stream-start' ? first.warnings : [];
    return { body: body ?? '{}', isOther: warnings.some((each) => 'feature' in each && each.feature === 'reasoning') };
  }
}

async function callOptions(
  vendor: Vendor,
  request: ModelRequest,
  abortSignal: AbortSignal,
): Promise<LanguageModelV4CallOptions> {
  const options = toCallOptions(await loadBlobs(request), vendor.rules(request.model));
  // The raw chunks contain data that the packages leave out: the code of an error, and the input tokens of an answer
  // that is cut.
  return {
    ...options,
    includeRawChunks: true,
    providerOptions: vendor.options?.(request, options.prompt),
    reasoning:
      vendor.mayThink?.(options.prompt) === false ? undefined : reasoningOf(request.thinking, vendor.mostReasoning),
    abortSignal,
  };
}
