// Every server that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, OpenRouter, and most gateways. Its
// abilities are unknown before a request, so it is treated as able to do everything in the protocol.
import type { ReasoningDetails, Vendor, VendorEmbedding } from '../ai-sdk/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { EventStreamCheck } from '../http/event-stream-check.ts';
import { listIn, modelsIn, numberIn, objectIn } from '../http/read-answer.ts';
import type { KeyPlaces } from '../key.ts';
import type { ModelInfo } from '../provider.ts';
import { createChatChunkReader } from './chunks.ts';

export interface CompatibleOptions {
  /** The provider's name. */
  readonly name: string;
  /** Such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  /** The setting that the address comes from. */
  readonly setting: string;
  /** Where its key is, if it wants one. */
  readonly key?: KeyPlaces | undefined;
  /** Tokens that its models take in, which such servers rarely tell. */
  readonly contextWindow?: number | undefined;
  /** See ChatChunkOptions. */
  readonly endsWithDone?: boolean | undefined;
}

/** @throws OllmError CONFIG_INVALID if the address cannot be used */
export function compatible({ name, baseUrl, setting, key, contextWindow, endsWithDone }: CompatibleOptions): Vendor {
  const url = parseBaseUrl(baseUrl, setting);
  return {
    name,
    title: name,
    protocol: 'the chat completions of OpenAI',
    baseUrl: url,
    key,
    keyIsNeeded: false,
    authorize: async (_request, secret) => bearer(secret),
    async languageModel(model, connection) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      // The package reads options by this name, which must not be one of those that a user may choose.
      const settings = { name: 'ollmCompatible', baseURL: url, includeUsage: true, fetch: connection.fetch };
      return createOpenAICompatible({ ...settings, headers: bearer(connection.key) }).languageModel(model);
    },
    rules: () => ({ shows: (mediaType) => mediaType.startsWith('image/'), plainReasoning: true }),
    thinkingModes: () => ['low', 'medium', 'high'],
    streamType: 'text/event-stream',
    check: (failures) => new EventStreamCheck(failures, createChatChunkReader({ endsWithDone })),
    images: true,
    detailsOf,
    models: { requests: [{ url: `${url}/models` }], read: ([answer]) => openAiModels(answer) },
    windowOf: () => contextWindow,
    embedding: openAiEmbedding(url),
  };
}

/** `{choices:[{delta:{reasoning_details:[…]}}]}`, with the same as `reasoning` from most servers that have it. */
function detailsOf(chunk: unknown): ReasoningDetails | undefined {
  const delta = objectIn(listIn(chunk, 'choices')[0], 'delta');
  const { reasoning, reasoning_content, reasoning_details: pieces } = delta;
  if (!Array.isArray(pieces) || pieces.length === 0) return undefined;
  return { pieces, areShown: Boolean(reasoning || reasoning_content) };
}

export function bearer(key: string): Record<string, string> {
  return key === '' ? {} : { Authorization: `Bearer ${key}` };
}

/** `{data:[{index,embedding}]}`; servers need not keep the order. */
export function openAiEmbedding(url: string): VendorEmbedding {
  return {
    request: ({ model, texts }) => ({
      url: `${url}/embeddings`,
      body: { model, input: texts, encoding_format: 'float' },
    }),
    read: (answer) => {
      const items = listIn(answer, 'data').map((each) => objectIn(each));
      const inOrder = items.map((item, place) => ({ place: numberIn(item, 'index') ?? place, item }));
      return inOrder.sort((a, b) => a.place - b.place).map(({ item }) => item.embedding);
    },
  };
}

/** `{data:[{id}]}`, with the size of the window under one of the names that servers have for it. */
export function openAiModels(answer: unknown): readonly ModelInfo[] {
  return modelsIn(answer, 'data', (model) => {
    const sizes = [...WINDOW_NAMES.map((name) => numberIn(model, name)), numberIn(model.meta, 'n_ctx')];
    return {
      name: CANNOT_TALK.test(String(model.id)) ? undefined : model.id,
      contextWindow: sizes.find((size) => size !== undefined && size > 0),
    };
  });
}

const WINDOW_NAMES = ['context_length', 'max_model_len', 'max_context_length', 'context_window'];
/** Such a model cannot hold a conversation. */
const CANNOT_TALK = /embed|whisper|\btts\b|-tts|dall-e|moderation|transcribe|realtime|-audio|gpt-image|sora|rerank/i;
