// Anthropic by its Messages API. Thinking goes back with its signature; the newest messages and the system prompt end
// with cache points; its own endpoint counts the tokens of a request.
import { mayThink } from '../ai-sdk/may-think.ts';
import type { Vendor, VendorOptions } from '../ai-sdk/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { EventStreamCheck } from '../http/event-stream-check.ts';
import { modelsIn, numberIn, objectIn } from '../http/read-answer.ts';
import type { InputUsage } from '../provider.ts';
import { SHOWS } from '../shown.ts';
import { createMessageChunkReader } from './chunks.ts';

interface AnthropicOptions extends VendorOptions {
  /** Tokens that a model may think before it answers; none: no extended thinking. */
  readonly thinkingTokens?: number | undefined;
}

const NAME = 'anthropic';
const VENDOR_URL = 'https://api.anthropic.com/v1';
const API_VERSION = '2023-06-01';
const CACHE_POINT = { anthropic: { cacheControl: { type: 'ephemeral' } } };
/** Older than extended thinking, which the package does not know. */
const CANNOT_THINK = /^claude-(?:2|instant|3-(?:opus|sonnet|haiku|5))/;
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
    rules: () => ({ shows: SHOWS.anthropic, imagesInResults: true, cachePoint: CACHE_POINT }),
    options: ({ thinking }, prompt) =>
      thinkingTokens === undefined || thinking !== undefined || !mayThink(prompt)
        ? undefined
        : { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingTokens } } },
    mayThink,
    thinkingModes: (model) => (CANNOT_THINK.test(model) ? [] : undefined),
    streamType: 'text/event-stream',
    check: (failures) => new EventStreamCheck(failures, createMessageChunkReader()),
    inputOf,
    images: true,
    models: {
      requests: [{ url: `${url}/models?limit=1000` }],
      read: ([answer]) =>
        modelsIn(answer, 'data', (model) => ({
          name: model.id,
          contextWindow: numberIn(model, 'max_input_tokens'),
        })),
    },
    windowOf: () => undefined,
    count: {
      request: (_model, body) => ({
        url: `${url}/messages/count_tokens`,
        body: Object.fromEntries(COUNTED.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]))),
      }),
      read: (answer) => numberIn(answer, 'input_tokens'),
    },
  };
}

/** The first chunk has the tokens of the request; `input_tokens` excludes those from a cache. */
function inputOf(chunk: unknown): InputUsage | undefined {
  if (objectIn(chunk).type !== 'message_start') return undefined;
  const usage = objectIn(chunk, 'message', 'usage');
  const plain = numberIn(usage, 'input_tokens');
  if (plain === undefined) return undefined;
  const cachedTokens = numberIn(usage, 'cache_read_input_tokens') ?? 0;
  const cacheWriteTokens = numberIn(usage, 'cache_creation_input_tokens') ?? 0;
  return { inputTokens: plain + cachedTokens + cacheWriteTokens, cachedTokens, cacheWriteTokens };
}
