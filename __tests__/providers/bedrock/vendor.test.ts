import { inspect } from 'node:util';
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { signAws } from '../../../lib/providers/bedrock/sign.ts';
import { bedrock } from '../../../lib/providers/bedrock/vendor.ts';
import type { ModelMessage, ProviderSignal } from '../../../lib/providers/provider.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { collect, failureOf, providerContract, requestOf } from '../provider.contract.ts';
import { type Dialect, messagesAfter, sceneOf, subjectOf } from '../vendor-scenes.ts';
import { blockStop, converse, delta, frame, KEY, metadata, stop } from './dialect.ts';

providerContract('bedrock', subjectOf(converse));

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5';
const claude: Dialect = { ...converse, model: CLAUDE, answerPath: `/model/${CLAUDE}/converse-stream` };
const tools = [{ name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } }];
const begin = frame('messageStart', { role: 'assistant' });
const thought = [
  begin,
  delta(0, { reasoningContent: { text: 'let me ' } }),
  delta(0, { reasoningContent: { text: 'see' } }),
  delta(0, { reasoningContent: { signature: 'SIGNED==' } }),
  blockStop(0),
  delta(1, { text: 'I read it.' }),
  blockStop(1),
  frame('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tooluse_1', name: 'read' } } }),
  delta(2, { toolUse: { input: '{"path":' } }),
  delta(2, { toolUse: { input: '"x"}' } }),
  blockStop(2),
  stop('tool_use'),
  metadata({ inputTokens: 10, outputTokens: 7, totalTokens: 117, cacheReadInputTokens: 70, cacheWriteInputTokens: 20 }),
];

async function asked(): Promise<readonly ProviderSignal[]> {
  await using scene = await sceneOf(claude, { steps: thought }, {}, { tools });
  return await collect(scene.provider, scene.request);
}

async function sent(history: readonly ModelMessage[], model = CLAUDE, system = '') {
  const answerPath = `/model/${encodeURIComponent(model)}/converse-stream`;
  const steps = [begin, delta(0, { text: 'ok' }), blockStop(0), stop('end_turn'), metadata()];
  await using scene = await sceneOf(
    { ...claude, answerPath, model },
    { steps },
    {},
    { tools, messages: history, system },
  );
  await collect(scene.provider, scene.request);
  return scene.server.requests[0]!.body as {
    system?: object[];
    messages: { role: string; content: Record<string, unknown>[] }[];
  };
}

test('an answer of Bedrock has its thoughts, words, call and tokens', async () => {
  const signals = await asked();
  expect(signals).toContainEqual({ type: 'text', text: 'I read it.' });
  expect(signals).toContainEqual({
    type: 'tool-call',
    call: { callId: 'tooluse_1', name: 'read', args: { path: 'x' } },
  });
  expect(signals).toContainEqual({
    type: 'usage',
    usage: { inputTokens: 100, outputTokens: 7, cachedTokens: 70, cacheWriteTokens: 20 },
  });
  expect(signals.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
});

test('signed reasoning is sent back unchanged, and to no different model', async () => {
  const history = messagesAfter(await asked(), 'bedrock');
  expect((await sent(history)).messages[1]!.content).toMatchObject([
    { reasoningContent: { reasoningText: { text: 'let me see', signature: 'SIGNED==' } } },
    { text: 'I read it.' },
    { toolUse: { toolUseId: 'tooluse_1', name: 'read', input: { path: 'x' } } },
  ]);
  expect(JSON.stringify(await sent(history, 'amazon.nova-pro-v1:0'))).not.toContain('SIGNED');
});

test('cache points are sent only to models that know them', async () => {
  const question: ModelMessage[] = [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
  const body = await sent(question, CLAUDE, 'be brief');
  expect(body.system).toEqual([{ text: 'be brief' }, { cachePoint: { type: 'default' } }]);
  expect(body.messages[0]!.content).toEqual([{ text: 'hi' }, { cachePoint: { type: 'default' } }]);
  expect(JSON.stringify(await sent(question, 'meta.llama3-1-70b-instruct-v1:0', 'be brief'))).not.toContain(
    'cachePoint',
  );
});

test('a model without vision gets images described in words, both of the user and of a tool', async () => {
  const image = { type: 'image', mediaType: 'image/png', blob: 'png' } as const;
  const history: ModelMessage[] = [
    { role: 'user', parts: [image] },
    { role: 'assistant', parts: [], toolCalls: [{ callId: 'c1', name: 'look', args: {} }] },
    { role: 'tool', results: [{ callId: 'c1', name: 'look', content: 'see', isError: false, images: [image] }] },
  ];
  const scene = async (model: string) => {
    const answerPath = `/model/${encodeURIComponent(model)}/converse-stream`;
    await using open = await sceneOf(
      { ...claude, answerPath, model },
      { steps: [begin, stop('end_turn'), metadata()] },
      {},
      {
        messages: history,
        tools: [{ name: 'look', description: 'looks', parameters: { type: 'object', properties: {} } }],
        readBlob: async () => Uint8Array.of(1),
      },
    );
    await collect(open.provider, open.request);
    return JSON.stringify(open.server.requests[0]!.body);
  };
  expect((await scene('meta.llama3-1-70b-instruct-v1:0')).split('cannot be shown')).toHaveLength(3);
  expect((await scene(CLAUDE)).split('"image"')).toHaveLength(3);
});

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'planted/secret+key',
  sessionToken: 'planted-token',
};
const now = () => new Date('2026-01-02T03:04:05Z');
const signing: Dialect = {
  ...claude,
  vendor: (url) =>
    bedrock({
      baseUrl: url,
      region: 'eu-central-1',
      key: { variable: 'AWS_BEARER_TOKEN_BEDROCK', fromVariable: () => undefined },
      credentials: () => credentials,
      now,
    }),
};

test('without an API key requests are signed, and errors contain neither secret nor token', async () => {
  const quoting = `bad ${credentials.secretAccessKey} ${credentials.sessionToken}`;
  await using scene = await sceneOf(signing, {
    status: 400,
    type: 'application/json',
    steps: [JSON.stringify({ message: quoting })],
  });
  const error = await failureOf(collect(scene.provider, scene.request));
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY })).not.toMatch(/planted/);
  const { authorization } = scene.server.requests[0]!.headers;
  expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request/);
  await scene.provider.models();
  expect(scene.server.requests.at(-1)!.headers.authorization).toContain('Credential=AKIDEXAMPLE/20260102/');
});

test('the environment of this process is not searched for a key', async () => {
  const saved = process.env.AWS_BEARER_TOKEN_BEDROCK;
  process.env.AWS_BEARER_TOKEN_BEDROCK = 'key-of-another-user';
  try {
    await using scene = await sceneOf(signing, { steps: [begin, stop('end_turn'), metadata()] });
    await collect(scene.provider, scene.request);
    expect(scene.server.requests[0]!.headers.authorization).toContain('AWS4-HMAC-SHA256');
  } finally {
    if (saved === undefined) delete process.env.AWS_BEARER_TOKEN_BEDROCK;
    else process.env.AWS_BEARER_TOKEN_BEDROCK = saved;
  }
});

test('without a key and credentials both are named, and nothing is sent', async () => {
  await using server = await startFaultServer({});
  const vendor = bedrock({
    baseUrl: server.url,
    region: 'eu-central-1',
    key: { variable: 'AWS_BEARER_TOKEN_BEDROCK', fromVariable: () => undefined },
    credentials: () => undefined,
    now,
  });
  const provider = createAiSdkProvider(vendor, { timeoutSeconds: 20 });
  for (const ask of [() => collect(provider, requestOf('x')), () => provider.models()]) {
    const error = await failureOf(ask());
    expect(error).toMatchObject({ code: 'PROVIDER_KEY' });
    expect(error.message).toMatch(/AWS_BEARER_TOKEN_BEDROCK.*AWS_SECRET_ACCESS_KEY/);
  }
  expect(server.requests).toEqual([]);
});

test.each([undefined, '', 'eu-central-1.evil.example', 'x/y', 'eu-central-1\n'])('%j is not a region', (region) => {
  expect(() => bedrock({ region, key: KEY, credentials: () => undefined, now })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('AWS_REGION') }),
  );
});

test('the host is derived from the region', () => {
  const urlOf = (region: string) => bedrock({ region, key: KEY, credentials: () => undefined, now }).baseUrl;
  expect(urlOf('eu-central-1')).toBe('https://bedrock-runtime.eu-central-1.amazonaws.com');
  expect(urlOf('us-gov-west-1')).toBe('https://bedrock-runtime.us-gov-west-1.amazonaws.com');
  expect(urlOf('cn-north-1')).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn');
});

/** The first three are of the suite that Amazon has published; the last was checked against another signer. */
const suite = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

test.each([
  ['GET', 'https://example.amazonaws.com/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'GET',
    'https://example.amazonaws.com/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  ['POST', 'https://example.amazonaws.com/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'POST',
    'https://example.amazonaws.com/model/a.b%3A0/count-tokens',
    '443b788ba65e3f712d2660e589baccb3fd92e72f36aa304d7eef991e56e75959',
  ],
] as const)('a %s of %s is signed as Amazon signs it', async (method, url, signature) => {
  const time = new Date('2015-08-30T12:36:00Z');
  const signed = await signAws({ url, method, body: '', region: 'us-east-1', service: 'service', now: time }, suite);
  expect(signed).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});

test('Bedrock counts a request at its own endpoint', async () => {
  await using server = await startFaultServer({
    [`/model/${CLAUDE}/count-tokens`]: { type: 'application/json', steps: ['{"inputTokens":42}'] },
  });
  await using scene = await sceneOf(claude, { steps: [] });
  const provider = createAiSdkProvider(signing.vendor(server.url), { timeoutSeconds: 20 });
  const { signal } = new AbortController();
  expect(await provider.countTokens!({ ...scene.request, system: 'be brief', tools }, { signal })).toBe(42);
  expect(server.requests[0]!.body).toMatchObject({
    input: { converse: { messages: [{ role: 'user' }], system: [{ text: 'be brief' }, {}] } },
  });
  expect(server.requests[0]!.headers.authorization).toContain('AWS4-HMAC-SHA256');
});

test('a frame with a wrong checksum is a broken stream', async () => {
  const bad = Uint8Array.from(delta(0, { text: 'words' }));
  bad[bad.length - 6]! ^= 1;
  await using scene = await sceneOf(converse, { steps: [begin, bad, stop('end_turn'), metadata()] });
  expect(await failureOf(collect(scene.provider, scene.request))).toMatchObject({ code: 'PROVIDER_BROKEN_STREAM' });
});
