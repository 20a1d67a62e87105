// Google Gemini by its generateContent API. Thought signatures go back with the calls and texts that they came with;
// its prompt cache works by itself, and its own endpoint counts the tokens of a request.
import type { Vendor, VendorOptions } from '../ai-sdk/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { EventStreamCheck } from '../http/event-stream-check.ts';
import { modelsIn, numberIn, objectIn } from '../http/read-answer.ts';
import type { InputUsage } from '../provider.ts';
import { SHOWS } from '../shown.ts';
import { createGeminiChunkReader } from './chunks.ts';

const NAME = 'gemini';
const VENDOR_URL = 'https://generativelanguage.googleapis.com/v1beta';
/** Such a model cannot hold a conversation. */
const CANNOT_TALK = /tts|image|embedding|transcribe|robotics/;
/** Older than thinking, which the package does not know. */
const CANNOT_THINK = /gemini-(?:1|2\.0)|gemma/;

/** @throws OllmError CONFIG_INVALID if the address cannot be used */
export function gemini({ baseUrl = VENDOR_URL, key }: VendorOptions): Vendor {
  const url = parseBaseUrl(baseUrl, 'providers.gemini.baseUrl');
  return {
    name: NAME,
    title: 'Google Gemini',
    baseUrl: url,
    key,
    keyIsNeeded: true,
    keySite: 'https://aistudio.google.com/apikey',
    authorize: async (_request, secret) => ({ 'x-goog-api-key': secret }),
    async languageModel(model, connection) {
      const { createGoogle } = await import('@ai-sdk/google');
      // Values that are not given here the package would read from the environment.
      return createGoogle({ apiKey: connection.key, baseURL: url, fetch: connection.fetch }).languageModel(model);
    },
    rules: () => ({ shows: SHOWS.gemini, imagesInResults: true }),
    thinkingModes: (model) => (CANNOT_THINK.test(model) ? [] : undefined),
    streamType: 'text/event-stream',
    check: (failures) => new EventStreamCheck(failures, createGeminiChunkReader()),
    inputOf,
    images: true,
    models: { requests: [{ url: `${url}/models?pageSize=1000` }], read: ([answer]) => talkersIn(answer) },
    windowOf: () => undefined,
    count: {
      request: (model, body) => ({
        url: `${url}/${pathOf(model)}:countTokens`,
        body: { generateContentRequest: { model: pathOf(model), ...body } },
      }),
      read: (answer) => numberIn(answer, 'totalTokens'),
    },
  };
}

function pathOf(model: string): string {
  return model.includes('/') ? model : `models/${encodeURIComponent(model)}`;
}

function inputOf(chunk: unknown): InputUsage | undefined {
  const usage = objectIn(chunk, 'usageMetadata');
  const inputTokens = numberIn(usage, 'promptTokenCount');
  const cachedTokens = numberIn(usage, 'cachedContentTokenCount');
  return inputTokens === undefined ? undefined : { inputTokens, ...(cachedTokens !== undefined && { cachedTokens }) };
}

function talkersIn(answer: unknown) {
  return modelsIn(answer, 'models', (model) => {
    const { name, supportedGenerationMethods: methods } = model;
    const talks = (!Array.isArray(methods) || methods.includes('generateContent')) && !CANNOT_TALK.test(String(name));
    return {
      name: talks && typeof name === 'string' && name.replace(/^models\//, ''),
      contextWindow: numberIn(model, 'inputTokenLimit'),
    };
  });
}
