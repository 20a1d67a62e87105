import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import type { ModelMessage, ProviderSignal } from '../../../lib/providers/provider.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { collect, providerContract } from '../provider.contract.ts';
import { messagesAfter, sceneOf, subjectOf } from '../vendor-scenes.ts';
import { ended, event, generateContent, parts } from './dialect.ts';

providerContract('gemini', subjectOf(generateContent));

const tools = [{ name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } }];
const thought = [
  parts([{ text: 'let me see', thought: true }]),
  parts([{ text: 'I read it.', thoughtSignature: 'TEXT==' }]),
  parts([
    { functionCall: { name: 'read', args: { path: 'x' } }, thoughtSignature: 'CALL==' },
    { functionCall: { name: 'read', args: { path: 'y' } } },
  ]),
  ended({
    promptTokenCount: 100,
    cachedContentTokenCount: 80,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 5,
    totalTokenCount: 112,
  }),
];

async function asked(): Promise<readonly ProviderSignal[]> {
  await using scene = await sceneOf(generateContent, { steps: thought }, {}, { tools });
  return await collect(scene.provider, scene.request);
}

async function sent(history: readonly ModelMessage[], model = 'test') {
  const answerPath = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
  const steps = [generateContent.says('ok'), generateContent.end];
  await using scene = await sceneOf(
    { ...generateContent, answerPath, model },
    { steps },
    {},
    { tools, messages: history },
  );
  await collect(scene.provider, scene.request);
  return scene.server.requests[0]!.body as { contents: { role: string; parts: Record<string, unknown>[] }[] };
}

test('an answer of Gemini has its thoughts, words, calls and tokens, each call with an id of its own', async () => {
  const signals = await asked();
  const calls = signals.flatMap((signal) => (signal.type === 'tool-call' ? [signal.call] : []));
  expect(calls.map(({ args }) => args)).toEqual([{ path: 'x' }, { path: 'y' }]);
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(2);
  expect(signals).toContainEqual({ type: 'reasoning', text: 'let me see' });
  expect(signals).toContainEqual({
    type: 'usage',
    usage: { inputTokens: 100, outputTokens: 12, cachedTokens: 80, reasoningTokens: 5 },
  });
  expect(signals.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
});

test('thought signatures are sent back with their text and their call', async () => {
  const { contents } = await sent(messagesAfter(await asked(), 'gemini'));
  expect(contents[1]).toMatchObject({
    role: 'model',
    parts: [
      { text: 'I read it.', thoughtSignature: 'TEXT==' },
      { functionCall: { name: 'read', args: { path: 'x' } }, thoughtSignature: 'CALL==' },
      { functionCall: { name: 'read', args: { path: 'y' } } },
    ],
  });
  expect(contents[1]!.parts[2]).not.toHaveProperty('thoughtSignature');
  expect(contents[2]!.parts).toMatchObject([
    { functionResponse: { name: 'read' } },
    { functionResponse: { name: 'read' } },
  ]);
});

test('thought signatures of one model are not sent to a different one', async () => {
  const body = await sent(messagesAfter(await asked(), 'gemini'), 'other');
  expect(JSON.stringify(body)).not.toMatch(/TEXT==|CALL==/);
  expect(JSON.stringify(body)).toContain('functionCall');
});

test('a question that the vendor blocks ends as blocked, and is not a connection error', async () => {
  await using scene = await sceneOf(generateContent, {
    steps: [
      event({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } }),
    ],
  });
  expect((await collect(scene.provider, scene.request)).at(-1)).toEqual({
    type: 'finish',
    reason: 'content-filter',
    word: 'SAFETY',
  });
});

test('the time to wait is read from the answer', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' }];
  await using scene = await sceneOf(generateContent, {
    status: 429,
    type: 'application/json',
    steps: [JSON.stringify({ error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED', details } })],
  });
  await expect(collect(scene.provider, scene.request)).rejects.toMatchObject({
    data: { retryable: true, retryAfterMs: 3500 },
  });
});

test('an invalid key is reported as such, although its status says otherwise', async () => {
  await using scene = await sceneOf(generateContent, {
    status: 400,
    type: 'application/json',
    steps: [JSON.stringify({ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } })],
  });
  await expect(collect(scene.provider, scene.request)).rejects.toMatchObject({ code: 'PROVIDER_KEY' });
});

test('Gemini counts a request at its own endpoint', async () => {
  await using server = await startFaultServer({
    '/v1beta/models/test:countTokens': { type: 'application/json', steps: ['{"totalTokens":31}'] },
  });
  await using scene = await sceneOf(generateContent, { steps: [] });
  const provider = createAiSdkProvider(generateContent.vendor(server.url), { timeoutSeconds: 20 });
  const signal = new AbortController().signal;
  expect(await provider.countTokens!({ ...scene.request, system: 'be brief', tools }, { signal })).toBe(31);
  expect(server.requests[0]!.body).toMatchObject({
    generateContentRequest: {
      model: 'models/test',
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      systemInstruction: { parts: [{ text: 'be brief' }] },
    },
  });
  expect(server.requests[0]!.headers['x-goog-api-key']).toBe('planted-gemini-key');
});

test('an answer without a number is not a count', async () => {
  await using server = await startFaultServer({
    '/v1beta/models/test:countTokens': { type: 'application/json', steps: ['{"hello":1}'] },
  });
  await using scene = await sceneOf(generateContent, { steps: [] });
  const provider = createAiSdkProvider(generateContent.vendor(server.url), { timeoutSeconds: 20 });
  const { signal } = new AbortController();
  await expect(provider.countTokens!(scene.request, { signal })).rejects.toMatchObject({
    code: 'PROVIDER_BROKEN_STREAM',
  });
});

test('the window of a model is read from its list', async () => {
  await using scene = await sceneOf(generateContent, { steps: [] });
  expect(await scene.provider.models()).toEqual([{ name: 'gemini-2.5-flash', contextWindow: 1_048_576 }]);
  expect(await scene.provider.contextWindow!('gemini-2.5-flash')).toBe(1_048_576);
});
