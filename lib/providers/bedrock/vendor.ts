// Amazon Bedrock by its Converse API: with an API key, else with the usual credentials of AWS, which sign each request.
// Answers come from one server of a region, lists from another.
import { OllmError } from '../../errors/index.ts';
import { mayThink } from '../ai-sdk/may-think.ts';
import type { PlainRequest, Vendor } from '../ai-sdk/vendor.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { modelsIn, numberIn } from '../http/read-answer.ts';
import { type KeyPlaces, missingKey } from '../key.ts';
import { contextWindowOf } from '../windows.ts';
import { createConverseChunkReader } from './chunks.ts';
import { FrameCheck } from './frame-check.ts';
import { type AwsCredentials, signAws } from './sign.ts';

interface BedrockOptions {
  /** Where its API is, for answers and lists alike, if not where the vendor has them. */
  readonly baseUrl?: string | undefined;
  readonly region: string | undefined;
  /** An API key, which wins over credentials. */
  readonly key: KeyPlaces;
  /** AWS_ACCESS_KEY_ID and its like, as they are now. */
  readonly credentials: () => AwsCredentials | undefined;
  /** For signatures. */
  readonly now: () => Date;
}

const NAME = 'bedrock';
const KEY_SITE = 'https://console.aws.amazon.com/bedrock/home#/api-keys';
const CACHE_POINT = { amazonBedrock: { cachePoint: { type: 'default' } } };
/** https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html: any other model refuses the point. */
const CACHES = /anthropic\.claude-(3-5-haiku|3-7|(opus|sonnet|haiku|fable)-\d)|amazon\.nova/;
const SEES = /anthropic\.claude|amazon\.nova-(?!micro|sonic)|llama3-2-(11|90)b|llama4|pixtral/;
const SHOWN = /^image\/(png|jpeg|gif|webp)$/;
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html */
const RESULTS_WITH_IMAGES = /anthropic\.claude|amazon\.nova/;
/** Older than extended thinking, which the package does not know. */
const CANNOT_THINK = /anthropic\.claude-(?:v2|instant|3-(?:opus|sonnet|haiku|5))/;
const READS_PDF = /anthropic\.claude/;

/** @throws OllmError CONFIG_INVALID if the address or the region cannot be used */
export function bedrock({ baseUrl, region, key, credentials, now }: BedrockOptions): Vendor {
  const place = checkedRegion(region);
  const domain = place.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const own = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, 'providers.bedrock.baseUrl');
  const url = own ?? `https://bedrock-runtime.${place}.${domain}`;
  const listUrl = own ?? `https://bedrock.${place}.${domain}`;
  const issuer = { provider: NAME, site: KEY_SITE };

  const proof = (): AwsCredentials => {
    const found = credentials();
    if (found) return found;
    const { variable, file } = key;
    throw missingKey(
      { ...key, variable: [variable, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'].filter(Boolean).join(', '), file },
      issuer,
    );
  };
  const sign = (request: PlainRequest): Promise<Readonly<Record<string, string>>> => {
    const isGet = request.body === undefined;
    const signed = { method: isGet ? 'GET' : 'POST', body: isGet ? '' : JSON.stringify(request.body) } as const;
    return signAws({ url: request.url, ...signed, region: place, service: 'bedrock', now: now() }, proof());
  };

  return {
    name: NAME,
    title: 'Amazon Bedrock',
    baseUrl: url,
    key,
    keyIsNeeded: false,
    keySite: KEY_SITE,
    hints: { refused: (facts) => (/on-demand throughput/i.test(facts) ? profileHint(facts, place) : undefined) },
    secrets: () => {
      const { secretAccessKey = '', sessionToken = '' } = credentials() ?? {};
      return [secretAccessKey, sessionToken];
    },
    authorize: async (request, secret) => (secret === '' ? sign(request) : { Authorization: `Bearer ${secret}` }),
    async languageModel(model, connection) {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      // Values that are not given here the package would read from the environment; an empty key means: sign.
      const proven = connection.key === '' ? { apiKey: '', ...proof() } : { apiKey: connection.key };
      const settings = { region: place, baseURL: url, fetch: connection.fetch };
      return createAmazonBedrock({ ...proven, ...settings }).languageModel(model);
    },
    rules: (model) => ({
      shows: (mediaType) =>
        mediaType === 'application/pdf' ? READS_PDF.test(model) : SEES.test(model) && SHOWN.test(mediaType),
      callsNeedTools: true,
      imagesInResults: RESULTS_WITH_IMAGES.test(model),
      cachePoint: CACHES.test(model) ? CACHE_POINT : undefined,
    }),
    mayThink,
    thinkingModes: (model) => (CANNOT_THINK.test(model) ? [] : undefined),
    mostReasoning: 'xhigh',
    streamType: 'application/vnd.amazon.eventstream',
    check: (failures) => new FrameCheck(failures, createConverseChunkReader()),
    images: true,
    models: {
      requests: [
        { url: `${listUrl}/foundation-models?byOutputModality=TEXT` },
        { url: `${listUrl}/inference-profiles?maxResults=1000` },
      ],
      // Many models can only be asked by the profile of a region: `eu.anthropic.…`.
      read: ([models, profiles]) => [
        ...modelsIn(profiles, 'inferenceProfileSummaries', (each) => named(each.inferenceProfileId)),
        ...modelsIn(models, 'modelSummaries', directly),
      ],
    },
    windowOf: (model) => contextWindowOf(NAME, model),
    count: {
      request: (model, { messages, system, toolConfig }) => ({
        url: `${url}/model/${encodeURIComponent(model)}/count-tokens`,
        body: { input: { converse: { messages, system, toolConfig } } },
      }),
      read: (answer) => numberIn(answer, 'inputTokens'),
    },
  };
}

/** Such a model answers only under the name of an inference profile. */
function profileHint(facts: string, region: string): string {
  const model = /model id ([\w.:-]+)/i.exec(facts)?.[1] ?? 'MODEL';
  const area = region.startsWith('ap-') ? 'apac' : region.replace(/-.*/, '');
  return `Use the inference profile of the model, such as ${area}.${model} or global.${model}: /model lists the profiles.`;
}

/** It becomes part of a host name. */
function checkedRegion(region: string | undefined): string {
  if (region !== undefined && /^[a-z]{2,5}(-[a-z]+)+-\d{1,2}$/.test(region)) return region;
  const what =
    region === undefined ? 'No region of Amazon Bedrock is set' : `${JSON.stringify(region)} is not a region of AWS`;
  throw new OllmError('CONFIG_INVALID', `${what}.`, {
    hint: 'Set providers.bedrock.region or the variable AWS_REGION, for example to eu-central-1.',
    data: { provider: NAME },
  });
}

function named(name: unknown) {
  return { name, contextWindow: contextWindowOf(NAME, String(name)) };
}

/** Without the models that only a profile answers for, and those that answer in one piece. */
function directly(model: Readonly<Record<string, unknown>>) {
  const { modelId, inferenceTypesSupported: types, responseStreamingSupported: streams } = model;
  return named(streams === false || (Array.isArray(types) && !types.includes('ON_DEMAND')) ? undefined : modelId);
}
