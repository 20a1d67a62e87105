// Anthropic by its Messages API. Thinking goes back with its signature; the newest messages and the system prompt end
// with cache points; its own endpoint counts the tokens of a request.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Vendor } from '../ai-sdk/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import type { KeyPlaces } from '../key.ts';
import type { InputUsage, ModelInfo } from '../provider.ts';

export interface AnthropicOptions {
  /** Where its API is, if not where the vendor has it. */
  readonly baseUrl?: string | undefined;
  readonly key: KeyPlaces;
  /** Tokens that a model may think before it answers; none: no extended thinking. */
  readonly thinkingTokens?: number | undefined;
}

const NAME = 'anthropic';
const VENDOR_URL = 'https://api.anthropic.com/v1';
const API_VERSION = '2023-06-01';
const SHOWN = /^image\/(png|jpeg|gif|webp)$|^application\/pdf$/;
const CACHE_POINT = { anthropic: { cacheControl: { type: 'ephemeral' } } };
/** What an answer is made of and a count is not. */
const COUNTED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking'] as const;

/** @throws OllmError CONFIG_INVALID if the address cannot be used */
export function anthropic({ baseUrl = VENDOR_URL, key, thinkingTokens }: AnthropicOptions): Vendor {
  const url = parseBaseUrl(baseUrl, 'providers.anthropic.baseUrl');
  return {
    name: NAME,
    title: 'Anthropic',
    baseUrl: url,
    key,
    keyIsNeeded: true,
    keySite: 'https://console.anthropic.com/settings/keys',
    authorize: async (_request, secret) => ({ 'x-api-key': secret, 'anthropic-version': API_VERSION }),
    async languageModel(model, connection) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      // What is not given here the package would read from the environment.
      return createAnthropic({ apiKey: connection.key, baseURL: url, fetch: connection.fetch }).languageModel(model);
    },
    rules: () => ({ shows: (mediaType) => SHOWN.test(mediaType), imagesInResults: true, cachePoint: CACHE_POINT }),
    options: (_request, prompt) =>
      thinkingTokens === undefined || !mayThink(prompt)
        ? undefined
        : { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingTokens } } },
    streamType: 'text/event-stream',
    inputOf,
    images: true,
    models: { requests: [{ url: `${url}/models?limit=1000` }], read: ([answer]) => modelsIn(answer) },
    windowOf: () => undefined,
    count: {
      request: (_model, body) => ({
        url: `${url}/messages/count_tokens`,
        body: Object.fromEntries(COUNTED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]))),
      }),
      read: (answer) => {
        const { input_tokens } = (answer ?? {}) as { input_tokens?: unknown };
        return typeof input_tokens === 'number' ? input_tokens : undefined;
      },
    },
  };
}

/**
 * A model that thinks must have thought before the calls that it now gets the results of. Where that thinking is not at
 * hand (another model made the calls, or a secret was taken out of it), this one request goes without.
 */
function mayThink(prompt: LanguageModelV4Prompt): boolean {
  if (prompt.at(-1)?.role !== 'tool') return true;
  const asked = prompt.findLast(({ role }) => role === 'assistant');
  return asked?.role === 'assistant' && asked.content[0]?.type === 'reasoning';
}

/** Its first chunk has the tokens of the request, of which `input_tokens` are those that no cache was used for. */
function inputOf(chunk: unknown): InputUsage | undefined {
  const { type, message } = (chunk ?? {}) as { type?: unknown; message?: { usage?: Record<string, unknown> } };
  if (type !== 'message_start') return undefined;
  const {
    input_tokens: plain,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
  } = message?.usage ?? {};
  if (typeof plain !== 'number') return undefined;
  const cachedTokens = typeof read === 'number' ? read : 0;
  const cacheWriteTokens = typeof write === 'number' ? write : 0;
  return { inputTokens: plain + cachedTokens + cacheWriteTokens, cachedTokens, cacheWriteTokens };
}

function modelsIn(answer: unknown): readonly ModelInfo[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) return [];
  return data.flatMap((each: unknown): ModelInfo[] => {
    const { id, max_input_tokens } = (each ?? {}) as { id?: unknown; max_input_tokens?: unknown };
    if (typeof id !== 'string' || id === '') return [];
    return [{ name: id, contextWindow: typeof max_input_tokens === 'number' ? max_input_tokens : undefined }];
  });
}
