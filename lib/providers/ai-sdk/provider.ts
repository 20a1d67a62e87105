// A provider over one vendor's package of the AI SDK. The package is loaded when it is first used and made anew for each
// exchange: nothing of one request stays for the next but the sizes of windows. Nothing is asked twice.
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { isOllmError, type OllmError } from '../../errors/index.ts';
import { type Ids, systemIds } from '../../platform/index.ts';
import { createEventStreamCheck } from '../http/event-stream-check.ts';
import { createGuard } from '../http/guarded-fetch.ts';
import { missingKey, readKey } from '../key.ts';
import type { ModelInfo, ModelRequest, Provider, ProviderSignal } from '../provider.ts';
import { type Failures, failuresOf, interrupted, withModels } from './failures.ts';
import { encodeOpaque } from './opaque.ts';
import { toCallOptions } from './prompt.ts';
import { createTranslator } from './signals.ts';
import type { Connection, PlainRequest, Vendor } from './vendor.ts';

export interface AiSdkOptions {
  /** How long the vendor may send nothing. */
  readonly timeoutSeconds: number;
  /** Names calls that the vendor leaves without a name of their own. */
  readonly ids?: Ids | undefined;
}

/** How long the list of models may take when all we want is to name them in a message. */
const COURTESY_MS = 5000;

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;
const STREAM_TYPES: Readonly<Record<Vendor['streamType'], RegExp>> = {
  'text/event-stream': /^text\/event-stream$/,
  'application/vnd.amazon.eventstream': /^application\/vnd\.amazon\.eventstream$/,
};

interface Exchange extends Optional {
  readonly url: string;
  /** What its answers are. */
  readonly mediaType: RegExp;
  readonly model?: string | undefined;
}

type Optional = { readonly signal?: AbortSignal | undefined };

/**
 * The provider that a vendor makes. Contacts nobody before it is asked something.
 *
 * @example
 * const provider = createAiSdkProvider(anthropic({ key }), { timeoutSeconds: 120 });
 */
export function createAiSdkProvider(vendor: Vendor, { timeoutSeconds, ids = systemIds }: AiSdkOptions): Provider {
  const windows = new Map<string, number | undefined>();
  const issuer = { provider: vendor.name, site: vendor.keySite };

  const keyNow = (): string => {
    const key = vendor.key ? readKey(vendor.key, issuer) : undefined;
    if (key === undefined && vendor.key && vendor.keyIsNeeded) throw missingKey(vendor.key, issuer);
    return key ?? '';
  };

  /** Runs one exchange; whatever it throws becomes a sentence, and its connection is closed at the end. */
  async function* exchange<Item>(
    { url, signal: outer, model, mediaType }: Exchange,
    talk: (connection: Connection, failures: Failures) => AsyncIterable<Item>,
  ): AsyncGenerator<Item, void> {
    if (outer?.aborted) throw interrupted();
    const key = keyNow();
    const secrets = [key, ...(vendor.secrets?.() ?? [])];
    const failures = failuresOf({ vendor, model, timeoutSeconds, secrets });
    const stop = new AbortController();
    const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
    const guard = createGuard({
      url,
      signal,
      timeoutSeconds,
      words: failures,
      accepts: (type) => mediaType.test(type),
      checkFor: (type) => (type === 'text/event-stream' ? createEventStreamCheck(failures.nonsense) : undefined),
    });
    try {
      yield* talk({ key, fetch: guard.fetch, signal }, failures);
    } catch (error) {
      if (outer?.aborted) throw interrupted();
      throw guard.failure ?? failures.failed(error);
    } finally {
      stop.abort();
    }
  }

  /** The answers to plain requests, one after the other. */
  async function ask(requests: readonly PlainRequest[], options: { model?: string } & Optional): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const request of requests) {
      const answer$ = exchange(
        { ...options, url: request.url, mediaType: JSON_TYPE },
        async function* ({ key, fetch }, failures) {
          const headers = { ...request.headers, ...(await vendor.authorize(request, key)) };
          const body = request.body === undefined ? {} : { method: 'POST', body: JSON.stringify(request.body) };
          const type = request.body === undefined ? {} : { 'content-type': 'application/json' };
          const response = await fetch(request.url, { ...body, headers: { ...type, ...headers } });
          const text = await response.text();
          try {
            yield JSON.parse(text) as unknown;
          } catch {
            throw failures.nonsense('its answer is no JSON');
          }
        },
      );
      for await (const answer of answer$) answers.push(answer);
    }
    return answers;
  }

  async function models({ signal }: Optional = {}): Promise<readonly ModelInfo[]> {
    return vendor.models.read(await ask(vendor.models.requests, { signal }));
  }

  async function courtesyList(signal: AbortSignal): Promise<string[] | undefined> {
    return models({ signal: AbortSignal.any([signal, AbortSignal.timeout(COURTESY_MS)]) }).then(
      (there) => there.map(({ name }) => name),
      () => undefined,
    );
  }

  function callOptions(request: ModelRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions {
    const options = toCallOptions(request, vendor.rules(request.model));
    return { ...options, providerOptions: vendor.options?.(request, options.prompt), abortSignal };
  }

  async function* signalsOf(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderSignal, void> {
    const mediaType = STREAM_TYPES[vendor.streamType];
    const options = { url: vendor.baseUrl, model: request.model, signal, mediaType };
    yield* exchange(options, async function* (connection, failures): AsyncGenerator<ProviderSignal, void> {
      if (request.model === '') throw failures.missingModel(undefined);
      const model = await vendor.languageModel(request.model, connection);
      const { stream } = await model.doStream(callOptions(request, connection.signal));
      const translate = createTranslator(request, { ids, failures });
      for await (const part of stream as ReadableStream<LanguageModelV4StreamPart>) {
        for (const each of translate(part)) {
          yield each;
          if (each.type === 'finish') return;
        }
      }
      throw failures.cutOff();
    });
  }

  /** The same error, with the names of the models that there are. */
  async function namingModels(error: OllmError, request: ModelRequest, signal: AbortSignal): Promise<OllmError> {
    const failures = failuresOf({ vendor, model: request.model, timeoutSeconds, secrets: [] });
    return withModels(error, await courtesyList(signal), failures);
  }

  async function* stream(request: ModelRequest, { signal }: { readonly signal: AbortSignal }) {
    try {
      yield* signalsOf(request, signal);
    } catch (error) {
      if (!isOllmError(error, 'MODEL_NOT_FOUND')) throw error;
      throw await namingModels(error, request, signal);
    }
  }

  /** What would be sent for an answer, written by the vendor's package and not sent. */
  async function bodyOf(request: ModelRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    let body: string | undefined;
    const capture: typeof fetch = async (_input, init) => {
      body = typeof init?.body === 'string' ? init.body : undefined;
      throw new Error('This request is not to be sent.');
    };
    const model = await vendor.languageModel(request.model, { key: keyNow(), fetch: capture, signal });
    await model.doStream(callOptions(request, signal)).then(
      () => undefined,
      (error: unknown) => {
        if (body === undefined) throw error;
      },
    );
    return JSON.parse(body ?? '{}') as Record<string, unknown>;
  }

  const { count } = vendor;
  const countTokens: Provider['countTokens'] =
    count &&
    (async (request, { signal }) => {
      if (signal.aborted) throw interrupted();
      const { model } = request;
      const [answer] = await ask([count.request(model, await bodyOf(request, signal))], { model, signal });
      const tokens = count.read(answer);
      if (tokens !== undefined) return tokens;
      throw failuresOf({ vendor, model, timeoutSeconds, secrets: [] }).nonsense('its count of tokens is none');
    });

  const { compaction } = vendor;
  const compact: Provider['compact'] =
    compaction &&
    (async (request, { signal }) => {
      if (signal.aborted) throw interrupted();
      const { model } = request;
      const [answer] = await ask([compaction.request(await bodyOf(request, signal))], { model, signal });
      const made = compaction.read(answer);
      if (!made) throw failuresOf({ vendor, model, timeoutSeconds, secrets: [] }).nonsense('its compaction is none');
      return {
        opaque: encodeOpaque(model, { kind: 'compaction', metadata: {}, items: made.items }),
        usage: made.usage,
      };
    });

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
    models,
    stream,
    ...(countTokens && { countTokens }),
    ...(compact && { compact }),

    async contextWindow(model, { signal } = {}) {
      if (windows.has(model)) return windows.get(model);
      const known =
        vendor.windowOf(model) ?? (await models({ signal })).find(({ name }) => name === model)?.contextWindow;
      windows.set(model, known);
      return known;
    },
  };
}
