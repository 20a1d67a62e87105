// Every server that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, OpenRouter, and most gateways. Its
// abilities are not known before it is asked, so it is treated as able to do what the protocol can.
import type { Vendor } from '../ai-sdk/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import type { KeyPlaces } from '../key.ts';
import type { ModelInfo } from '../provider.ts';

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
}

/** @throws OllmError CONFIG_INVALID if the address cannot be used */
export function compatible({ name, baseUrl, setting, key, contextWindow }: CompatibleOptions): Vendor {
  const url = parseBaseUrl(baseUrl, setting);
  return {
    name,
    title: name,
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
    streamType: 'text/event-stream',
    images: true,
    models: { requests: [{ url: `${url}/models` }], read: ([answer]) => openAiModels(answer) },
    windowOf: () => contextWindow,
  };
}

export function bearer(key: string): Record<string, string> {
  return key === '' ? {} : { Authorization: `Bearer ${key}` };
}

/** `{data:[{id}]}`, with the size of the window under one of the names that servers have for it. */
export function openAiModels(answer: unknown): readonly ModelInfo[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) return [];
  return data.flatMap((each: unknown): ModelInfo[] => {
    const { id, ...facts } = (each ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || id === '' || isNoTalker(id)) return [];
    return [{ name: id, contextWindow: windowIn(facts) }];
  });
}

function windowIn(facts: Record<string, unknown>): number | undefined {
  const { n_ctx } = (facts.meta ?? {}) as Record<string, unknown>;
  const sizes = [facts.context_length, facts.max_model_len, facts.max_context_length, facts.context_window, n_ctx];
  return sizes.find((size): size is number => typeof size === 'number' && size > 0);
}

/** Such a model cannot hold a conversation. */
function isNoTalker(id: string): boolean {
  return /embed|whisper|\btts\b|-tts|dall-e|moderation|transcribe|realtime|-audio|gpt-image|sora|rerank/i.test(id);
}
