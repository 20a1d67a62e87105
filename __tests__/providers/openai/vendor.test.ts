import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { openai } from '../../../lib/providers/openai/vendor.ts';
import type { ModelMessage, ProviderSignal } from '../../../lib/providers/provider.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { collect, providerContract, requestOf, told } from '../provider.contract.ts';
import { messagesAfter, sceneOf, subjectOf } from '../vendor-scenes.ts';
import { added, completed, created, done, event, KEY, responsesDialect } from './dialect.ts';

providerContract('openai', subjectOf(responsesDialect));

/** A model that the package knows to reason. */
const MODEL = 'gpt-5';
const tools = [{ name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } }];
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read' };
const thought = [
  created,
  added(0, { ...reasoning, encrypted_content: 'BEGUN==' }),
  event({ type: 'response.reasoning_summary_part.added', item_id: 'rs_1', output_index: 0, summary_index: 0 }),
  event({
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    delta: 'let me see',
  }),
  event({ type: 'response.reasoning_summary_part.done', item_id: 'rs_1', output_index: 0, summary_index: 0 }),
  done(0, {
    ...reasoning,
    summary: [{ type: 'summary_text', text: 'let me see' }],
    encrypted_content: 'ENCRYPTED==',
  }),
  added(1, { type: 'message', id: 'msg_1', phase: 'commentary' }),
  event({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, delta: 'I read it.' }),
  done(1, { type: 'message', id: 'msg_1', phase: 'commentary' }),
  added(2, { ...call, arguments: '' }),
  event({ type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 2, delta: '{"path":"x"}' }),
  done(2, { ...call, arguments: '{"path":"x"}', status: 'completed' }),
  completed({
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 64 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 12 },
  }),
];

async function asked(): Promise<readonly ProviderSignal[]> {
  await using scene = await sceneOf(responsesDialect, { steps: thought }, {}, { tools, model: MODEL });
  return await collect(scene.provider, scene.request);
}

async function sent(history: readonly ModelMessage[], more: { model?: string; cacheKey?: string } = {}) {
  const steps = [responsesDialect.begin!, responsesDialect.says('ok'), responsesDialect.end];
  await using scene = await sceneOf(
    responsesDialect,
    { steps },
    {},
    { tools, model: MODEL, messages: history, ...more },
  );
  await collect(scene.provider, scene.request);
  return scene.server.requests[0]!.body as Record<string, unknown> & { input: Record<string, unknown>[] };
}

test('an answer of OpenAI has its thoughts, words, call and tokens', async () => {
  const signals = await asked();
  expect(told(signals).filter((signal) => signal.type !== 'reasoning' || signal.opaque === undefined)).toEqual([
    { type: 'reasoning', text: 'let me see' },
    { type: 'text', text: 'I read it.' },
    { type: 'tool-call', call: { callId: 'call_1', name: 'read', args: { path: 'x' } } },
    { type: 'usage', usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64, reasoningTokens: 12 } },
    { type: 'finish', reason: 'tool-calls' },
  ]);
});

test('encrypted reasoning is sent back unchanged, before the call that followed it, and the vendor stores nothing', async () => {
  const body = await sent(messagesAfter(await asked(), 'openai'));
  expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  expect(body).not.toHaveProperty('previous_response_id');
  expect(body.input.slice(1)).toMatchObject([
    {
      type: 'reasoning',
      encrypted_content: 'ENCRYPTED==',
      summary: [{ type: 'summary_text', text: 'let me see' }],
    },
    { role: 'assistant', content: 'I read it.', phase: 'commentary' },
    { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"x"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'done' },
  ]);
  expect(JSON.stringify(body)).not.toContain('item_reference');
});

test('encrypted reasoning of one model is not sent to a different one', async () => {
  const body = await sent(messagesAfter(await asked(), 'openai'), { model: 'gpt-5-mini' });
  expect(JSON.stringify(body)).not.toContain('ENCRYPTED');
  expect(body.input.map(({ type }) => type)).toContain('function_call');
});

test('the requests of a session have one cache key, and tools without strict schemas', async () => {
  const body = await sent([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }], { cacheKey: 'session-1' });
  expect(body).toMatchObject({ prompt_cache_key: 'session-1', tools: [{ name: 'read', strict: false }] });
});

test('arguments of a call that are not JSON are passed on as received', async () => {
  const broken = { ...call, arguments: '{"path":', status: 'completed' };
  await using scene = await sceneOf(responsesDialect, {
    steps: [created, added(0, { ...call, arguments: '' }), done(0, broken), completed()],
  });
  expect(await collect(scene.provider, scene.request)).toContainEqual({
    type: 'tool-call',
    call: { callId: 'call_1', name: 'read', args: '{"path":' },
  });
});

test('an answer that was too long ends as such', async () => {
  const incomplete = event({
    type: 'response.incomplete',
    response: {
      id: 'r1',
      created_at: 1,
      model: 'test',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  });
  await using scene = await sceneOf(responsesDialect, {
    steps: [responsesDialect.begin!, responsesDialect.says('a'), done(0, { type: 'message', id: 'msg_1' }), incomplete],
  });
  expect((await collect(scene.provider, scene.request)).at(-1)).toEqual({
    type: 'finish',
    reason: 'length',
    word: 'max_output_tokens',
  });
});

test('an account without credit is not asked again', async () => {
  await using scene = await sceneOf(responsesDialect, {
    status: 429,
    type: 'application/json',
    steps: [JSON.stringify({ error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } })],
  });
  await expect(collect(scene.provider, scene.request)).rejects.toMatchObject({
    hint: expect.stringContaining('credit'),
    data: expect.not.objectContaining({ retryable: true }),
  });
});

test('only the vendor’s own addresses get its own interface, and all others chat completions', () => {
  const titleOf = (baseUrl?: string) => openai({ baseUrl, key: KEY }).title;
  expect(titleOf()).toBe('OpenAI');
  expect(titleOf('https://eu.api.openai.com/v1')).toBe('OpenAI');
  for (const other of [
    'https://api.openai.com.evil.example/v1',
    'https://evilapi.openai.com.de/v1',
    'http://127.0.0.1:8080/v1',
  ])
    expect(titleOf(other)).toBe('openai');
});

test('a conversation is compacted by the vendor, and continues from its result', async () => {
  const output = [
    { type: 'message', id: 'm1', role: 'user', content: [{ type: 'input_text', text: 'the first question' }] },
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'SMALL==' },
  ];
  const usage = { input_tokens: 900, output_tokens: 100, total_tokens: 1000 };
  await using server = await startFaultServer({
    '/v1/responses/compact': {
      type: 'application/json',
      steps: [JSON.stringify({ id: 'r', object: 'response.compaction', output, usage })],
    },
  });
  const provider = createAiSdkProvider(responsesDialect.vendor(server.url), { timeoutSeconds: 20 });
  expect(provider.capabilities.compaction).toBe(true);
  const request = requestOf('the first question', { model: MODEL, system: 'be brief' });
  const { signal } = new AbortController();
  const compacted = await provider.compact!(request, { signal });
  expect(compacted.usage).toEqual({ inputTokens: 900, outputTokens: 100 });
  const { body } = server.requests[0]!;
  expect(Object.keys(body as object).sort()).toEqual(['input', 'model']);

  const goesOn: ModelMessage[] = [
    { role: 'assistant', parts: [{ type: 'reasoning', opaque: compacted.opaque, provider: 'openai' }], toolCalls: [] },
    { role: 'user', parts: [{ type: 'text', text: 'the second question' }] },
  ];
  const { input } = await sent(goesOn);
  const texts = input.flatMap(({ content }) => (Array.isArray(content) ? content.map(({ text }) => text) : []));
  expect(texts.slice(-2)).toEqual(['the first question', 'the second question']);
  expect(input).toContainEqual({ type: 'compaction', id: 'cmp_1', encrypted_content: 'SMALL==' });
  expect(JSON.stringify(await sent(goesOn, { model: 'gpt-5-mini' }))).not.toContain('SMALL');
});

test.each([{}, { output: [] }, { output: [{ type: 'compaction' }] }])('%j is not a compaction', async (answer) => {
  await using server = await startFaultServer({
    '/v1/responses/compact': { type: 'application/json', steps: [JSON.stringify(answer)] },
  });
  const provider = createAiSdkProvider(responsesDialect.vendor(server.url), { timeoutSeconds: 20 });
  const { signal } = new AbortController();
  await expect(provider.compact!(requestOf('x', { model: MODEL }), { signal })).rejects.toMatchObject({
    code: 'PROVIDER_BROKEN_STREAM',
  });
});

test('the windows of its models are in a table, and others are unknown', async () => {
  await using scene = await sceneOf(responsesDialect, { steps: [] });
  expect(await scene.provider.contextWindow!('gpt-4.1-mini')).toBeGreaterThan(1_000_000);
  expect(await scene.provider.contextWindow!('gpt-99')).toBeUndefined();
});
