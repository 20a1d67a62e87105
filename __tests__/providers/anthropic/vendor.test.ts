import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { anthropic } from '../../../lib/providers/anthropic/vendor.ts';
import type { ModelMessage, ProviderSignal } from '../../../lib/providers/provider.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { collect, providerContract, requestOf } from '../provider.contract.ts';
import { messagesAfter, sceneOf, subjectOf } from '../vendor-scenes.ts';
import { block, KEY, messages, start, stop } from './dialect.ts';

providerContract('anthropic', subjectOf(messages));

const thinking = {
  ...messages,
  vendor: (url: string) => anthropic({ baseUrl: `${url}/v1`, key: KEY, thinkingTokens: 2048 }),
};
const tools = [{ name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } }];
const thought = [
  start(),
  block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'let me ' },
    { type: 'thinking_delta', thinking: 'see' },
    { type: 'signature_delta', signature: 'SIGNED==' },
  ),
  block(1, { type: 'redacted_thinking', data: 'ENCRYPTED==' }),
  block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'I read it.' }),
  block(
    3,
    { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
    { type: 'input_json_delta', partial_json: '{"path"' },
    { type: 'input_json_delta', partial_json: ':"x"}' },
  ),
  stop('tool_use'),
];

async function asked(model = 'test'): Promise<readonly ProviderSignal[]> {
  await using scene = await sceneOf(thinking, { steps: thought }, {}, { tools });
  return await collect(scene.provider, { ...scene.request, model });
}

async function sent(history: readonly ModelMessage[], model = 'test', dialect = thinking) {
  await using scene = await sceneOf(
    dialect,
    { steps: [messages.begin!, messages.says('ok'), messages.end] },
    {},
    { tools },
  );
  await collect(scene.provider, { ...scene.request, model, messages: history });
  return scene.server.requests[0]!.body as {
    messages: { role: string; content: Record<string, unknown>[] }[];
    thinking?: unknown;
  };
}

test('Anthropic is sent its signed or redacted thinking unchanged, before the call that followed it', async () => {
  const { messages: back } = await sent(messagesAfter(await asked(), 'anthropic'));
  expect(back[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'let me see', signature: 'SIGNED==' },
      { type: 'redacted_thinking', data: 'ENCRYPTED==' },
      { type: 'text', text: 'I read it.' },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'x' } },
    ],
  });
  expect(back[2]).toMatchObject({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' }],
  });
});

test('thinking from which a secret was removed is not sent, because its signature would not match, and the request has no thinking', async () => {
  const history = messagesAfter(await asked(), 'anthropic').map((message) =>
    message.role === 'assistant'
      ? {
          ...message,
          parts: message.parts
            .filter((part) => part.type !== 'reasoning' || !part.opaque?.includes('ENCRYPTED'))
            .map((part) => (part.type === 'reasoning' && part.text ? { ...part, text: 'let me [secret]' } : part)),
        }
      : message,
  );
  const body = await sent(history);
  expect(body.messages[1]!.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
  expect(body).not.toHaveProperty('thinking');
});

test('thinking of one model is not sent to a different one, which is not asked to think in the middle of a call', async () => {
  const body = await sent(messagesAfter(await asked(), 'anthropic'), 'another-model');
  expect(body.messages[1]!.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
  expect(body).not.toHaveProperty('thinking');
});

test('thinking is requested if the configuration says so', async () => {
  const question = requestOf('hi').messages;
  expect((await sent(question)).thinking).toEqual({ type: 'enabled', budget_tokens: 2048 });
  expect(await sent(question, 'test', messages)).not.toHaveProperty('thinking');
});

test('cache points end the system prompt and the two newest messages that are not the model’s, four at most', async () => {
  await using scene = await sceneOf(messages, { steps: [messages.begin!, messages.says('ok'), messages.end] });
  const history: ModelMessage[] = [1, 2, 3].flatMap((number): ModelMessage[] => [
    { role: 'user', parts: [{ type: 'text', text: `question ${number}` }] },
    { role: 'assistant', parts: [{ type: 'text', text: `answer ${number}` }], toolCalls: [] },
  ]);
  const last: ModelMessage = { role: 'user', parts: [{ type: 'text', text: 'last' }] };
  await collect(scene.provider, { ...scene.request, system: 'be brief', tools, messages: [...history, last] });
  const body = scene.server.requests[0]!.body as { system: object[]; messages: { content: object[] }[] };
  const ephemeral = { type: 'ephemeral' };
  expect(body.system).toEqual([{ type: 'text', text: 'be brief', cache_control: ephemeral }]);
  const marked = body.messages.map(({ content }) => content.some((part) => 'cache_control' in part));
  expect(marked).toEqual([false, false, false, false, true, false, true]);
  expect(JSON.stringify(body).split('cache_control')).toHaveLength(4);
});

test('the tools end with the cache point if there is no system prompt', async () => {
  await using scene = await sceneOf(
    messages,
    { steps: [messages.begin!, messages.says('ok'), messages.end] },
    {},
    { tools },
  );
  await collect(scene.provider, scene.request);
  const body = scene.server.requests[0]!.body as { tools: object[] };
  expect(body.tools.at(-1)).toMatchObject({ name: 'read', cache_control: { type: 'ephemeral' } });
});

test('cached, newly cached and all tokens are reported', async () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 70, cache_creation_input_tokens: 20, output_tokens: 1 };
  await using scene = await sceneOf(messages, {
    steps: [start(usage), block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'x' }), stop('max_tokens')],
  });
  const signals = await collect(scene.provider, scene.request);
  expect(signals).toContainEqual({
    type: 'usage',
    usage: { inputTokens: 100, outputTokens: 7, cachedTokens: 70, cacheWriteTokens: 20 },
  });
  expect(signals.at(-1)).toEqual({ type: 'finish', reason: 'length', word: 'max_tokens' });
});

test('arguments of a call that are not JSON are passed on as received', async () => {
  const broken = block(
    0,
    { type: 'tool_use', id: 't', name: 'read', input: {} },
    { type: 'input_json_delta', partial_json: '{"path":' },
  );
  await using scene = await sceneOf(messages, { steps: [start(), broken, stop('tool_use')] });
  expect(await collect(scene.provider, scene.request)).toContainEqual({
    type: 'tool-call',
    call: { callId: 't', name: 'read', args: '{"path":' },
  });
});

test('an overloaded server in the middle of an answer may be asked again', async () => {
  await using scene = await sceneOf(messages, { steps: [messages.begin!, messages.says('a'), messages.fails] });
  await expect(collect(scene.provider, scene.request)).rejects.toMatchObject({
    message: 'Anthropic stopped with an error: Overloaded (overloaded_error).',
    data: { retryable: true },
  });
});

test('Anthropic counts a request at its own endpoint, without the members that only an answer needs', async () => {
  await using scene = await sceneOf(thinking, { steps: [] });
  await using server = await startFaultServer({
    '/v1/messages/count_tokens': { type: 'application/json', steps: ['{"input_tokens":2095}'] },
  });
  const provider = createAiSdkProvider(thinking.vendor(server.url), { timeoutSeconds: 20 });
  const signal = new AbortController().signal;
  expect(await provider.countTokens!({ ...scene.request, system: 'be brief', tools }, { signal })).toBe(2095);
  const { body, headers } = server.requests[0]!;
  expect(Object.keys(body as object).sort()).toEqual([
    'messages',
    'model',
    'system',
    'thinking',
    'tool_choice',
    'tools',
  ]);
  expect(headers['x-api-key']).toBe('planted-anthropic-key');
  await expect(provider.countTokens!(scene.request, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'INTERRUPTED',
  });
});

test('the window of a model is read from its list', async () => {
  await using scene = await sceneOf(messages, { steps: [] });
  expect(await scene.provider.contextWindow!('claude-sonnet-4-5')).toBe(200_000);
  expect(await scene.provider.contextWindow!('claude-haiku-4-5')).toBeUndefined();
});

test('images and documents are sent unchanged, and other files are described', async () => {
  await using scene = await sceneOf(messages, { steps: [messages.begin!, messages.says('ok'), messages.end] });
  const blobs: Record<string, Uint8Array> = {
    png: Uint8Array.of(1, 2, 3),
    pdf: Buffer.from('%PDF-1.4'),
    txt: Buffer.from('words'),
  };
  await collect(scene.provider, {
    ...scene.request,
    readBlob: async (sha256) => blobs[sha256],
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'look' },
          { type: 'image', mediaType: 'image/png', blob: 'png' },
          { type: 'image', mediaType: 'image/tiff', blob: 'png' },
          { type: 'image', mediaType: 'image/png', blob: 'gone' },
          { type: 'file', name: 'a.pdf', mediaType: 'application/pdf', blob: 'pdf' },
          { type: 'file', name: 'a.txt', mediaType: 'text/plain', blob: 'txt' },
        ],
      },
    ],
  });
  const { messages: sentMessages } = scene.server.requests[0]!.body as {
    messages: { content: Record<string, unknown>[] }[];
  };
  expect(sentMessages[0]!.content).toMatchObject([
    { type: 'text', text: 'look' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
    { type: 'text', text: '[an image (image/tiff) that this model cannot be shown]' },
    { type: 'text', text: '[an image (image/png) that is no longer there]' },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf' } },
    { type: 'text', text: 'a.txt:\nwords' },
  ]);
});

test('the tokens of a request are known from the first chunk on, even if the answer is cut off', async () => {
  await using scene = await sceneOf(messages, { steps: [messages.begin!, messages.says('a'), { fault: 'reset' }] });
  const signals: ProviderSignal[] = [];
  const reading = async () => {
    for await (const signal of scene.provider.stream(scene.request, { signal: new AbortController().signal }))
      signals.push(signal);
  };
  await expect(reading()).rejects.toMatchObject({ code: 'PROVIDER_BROKEN_STREAM' });
  expect(signals.filter(({ type }) => type === 'input-usage')).toEqual([
    {
      type: 'input-usage',
      usage: {
        inputTokens: expect.any(Number),
        cachedTokens: expect.any(Number),
        cacheWriteTokens: expect.any(Number),
      },
    },
  ]);
});
