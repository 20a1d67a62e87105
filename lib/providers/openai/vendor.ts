// OpenAI by its Responses API, which keeps nothing of the conversation: `store` is off, and its own reasoning comes to
// the client encrypted and goes back with the next request. At any other address a server is taken to speak the older
// chat completions, which other servers have copied.
import type { CompactedItem } from '../ai-sdk/opaque.ts';
import type { Vendor, VendorCompaction, VendorOptions } from '../ai-sdk/vendor.ts';
import { bearer, type CompatibleOptions, compatible, openAiEmbedding, openAiModels } from '../compatible/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { EventStreamCheck } from '../http/event-stream-check.ts';
import { listIn, numberIn, objectIn } from '../http/read-answer.ts';
import type { KeyPlaces } from '../key.ts';
import { SHOWS } from '../shown.ts';
import { contextWindowOf } from '../windows.ts';
import { createResponseChunkReader } from './chunks.ts';

const NAME = 'openai';
const VENDOR_URL = 'https://api.openai.com/v1';

/** The vendor, or a server at another address, which may end its answers in a way of its own. */
type OpenAiOptions = VendorOptions & Pick<CompatibleOptions, 'endsWithDone'>;

/** @throws OllmError CONFIG_INVALID if the address cannot be used */
export function openai({ baseUrl = VENDOR_URL, key, endsWithDone }: OpenAiOptions): Vendor {
  const setting = 'providers.openai.baseUrl';
  const url = parseBaseUrl(baseUrl, setting);
  return isVendor(url) ? responses(url, key) : compatible({ name: NAME, baseUrl: url, setting, key, endsWithDone });
}

/** The Responses API at this address. */
export function responses(url: string, key: KeyPlaces): Vendor {
  return {
    name: NAME,
    title: 'OpenAI',
    baseUrl: url,
    key,
    keyIsNeeded: true,
    keySite: 'https://platform.openai.com/api-keys',
    authorize: async (_request, secret) => bearer(secret),
    async languageModel(model, connection) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // Values that are not given here the package would read from the environment.
      return createOpenAI({ apiKey: connection.key, baseURL: url, fetch: connection.fetch }).responses(model);
    },
    rules: () => ({ shows: SHOWS.openai, imagesInResults: true, strictTools: false, systemBetween: true }),
    options: ({ cacheKey }) => ({
      openai: { store: false, ...(cacheKey !== undefined && { promptCacheKey: cacheKey }) },
    }),
    // The package sends any effort to the first models that reasoned; they know three.
    thinkingModes: (model) => (/^o\d/.test(model) ? ['low', 'medium', 'high'] : undefined),
    streamType: 'text/event-stream',
    check: (failures) => new EventStreamCheck(failures, createResponseChunkReader()),
    images: true,
    models: { requests: [{ url: `${url}/models` }], read: ([answer]) => openAiModels(answer) },
    windowOf: (model) => contextWindowOf(NAME, model),
    embedding: openAiEmbedding(url),
    compaction: {
      request: ({ model, input, prompt_cache_key }) => ({
        url: `${url}/responses/compact`,
        body: { model, input, prompt_cache_key },
      }),
      read: compactedIn,
    },
  };
}

/** The words of the user as they were, and one item in which only OpenAI can read. */
function compactedIn(answer: unknown): ReturnType<VendorCompaction['read']> {
  const items = listIn(answer, 'output').flatMap((each): CompactedItem[] => {
    const { type, role, content, id, encrypted_content } = objectIn(each);
    if (type === 'message' && role === 'user') return userWords(content);
    if (type !== 'compaction' || typeof id !== 'string' || typeof encrypted_content !== 'string') return [];
    const options = { openai: { itemId: id, encryptedContent: encrypted_content } };
    return [{ kind: 'custom', name: 'openai.compaction', options }];
  });
  if (!items.some(({ kind }) => kind === 'custom')) return undefined;
  const usage = objectIn(answer, 'usage');
  const [inputTokens, outputTokens] = [numberIn(usage, 'input_tokens'), numberIn(usage, 'output_tokens')];
  if (inputTokens === undefined || outputTokens === undefined) return { items };
  return { items, usage: { inputTokens, outputTokens } };
}

function userWords(content: unknown): CompactedItem[] {
  const pieces = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [];
  return pieces.flatMap((piece: unknown): CompactedItem[] => {
    const { text } = objectIn(piece);
    return typeof text === 'string' && text !== '' ? [{ kind: 'user', text }] : [];
  });
}

function isVendor(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && (hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com'));
}
