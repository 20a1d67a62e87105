import { compatible } from '../../../lib/providers/compatible/vendor.ts';
import { collect, failureOf, providerContract, told } from '../provider.contract.ts';
import { type Dialect, messagesAfter, sceneOf, subjectOf } from '../vendor-scenes.ts';
import { chat, chunk, end, event } from './dialect.ts';

providerContract('a compatible server', subjectOf(chat));

const call = (index: number, id: string | undefined, name: string | undefined, args: string) => ({
  tool_calls: [{ index, ...(id && { id }), function: { ...(name && { name }), arguments: args } }],
});

test('calls in pieces are joined, keep invalid JSON, and end the answer as calls, with any finish reason', async () => {
  await using scene = await sceneOf(chat, {
    steps: [
      chunk(call(0, 'a', 'read', '{"pa')),
      chunk(call(0, undefined, undefined, 'th":"x"}')),
      chunk(call(1, 'b', 'read', '{"path":')),
      chunk(call(2, 'c', 'list', '')),
      end('stop'),
    ],
  });
  const signals = await collect(scene.provider, scene.request);
  // A call that takes minutes to be written is not a silence.
  const inputs = signals.filter((signal) => signal.type === 'tool-input');
  expect(inputs.map(({ key, name, text }) => `${key} ${name} ${text}`)).toEqual(
    expect.arrayContaining(['a read {"pa', 'a read th":"x"}', 'b read {"path":', 'c list ']),
  );
  expect(told(signals)).toEqual([
    { type: 'tool-call', call: { callId: 'a', name: 'read', args: { path: 'x' } } },
    { type: 'tool-call', call: { callId: 'b', name: 'read', args: '{"path":' } },
    { type: 'tool-call', call: { callId: 'c', name: 'list', args: {} } },
    { type: 'usage', usage: { inputTokens: 11, outputTokens: 7 } },
    { type: 'finish', reason: 'tool-calls' },
  ]);
});

test('a call gets a new id if the server restarts its count', async () => {
  await using scene = await sceneOf(
    chat,
    { steps: [chunk(call(0, 'call_0', 'read', '{}')), end('tool_calls')] },
    {},
    {
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'go' }] },
        { role: 'assistant', parts: [], toolCalls: [{ callId: 'call_0', name: 'read', args: {} }] },
        { role: 'tool', results: [{ callId: 'call_0', name: 'read', content: 'ok', isError: false }] },
      ],
    },
  );
  const [signal] = told(await collect(scene.provider, scene.request));
  expect(signal).toMatchObject({ type: 'tool-call', call: { name: 'read' } });
  expect(signal?.type === 'tool-call' && signal.call.callId).not.toBe('call_0');
});

test('reasoning is sent back during the same question, and later with each message that has calls', async () => {
  const thought = (text: string) => ({ type: 'reasoning', text, provider: 'box' }) as const;
  const asked = { role: 'user', parts: [{ type: 'text', text: 'go' }] } as const;
  const worked = [
    { role: 'assistant', parts: [thought('hm')], toolCalls: [{ callId: '1', name: 'read', args: {} }] },
    { role: 'tool', results: [{ callId: '1', name: 'read', content: 'ok', isError: false }] },
  ] as const;
  const done = { role: 'assistant', parts: [thought('so'), { type: 'text', text: 'done' }], toolCalls: [] } as const;
  for (const [messages, reasoning] of [
    [[asked, ...worked], ['hm']],
    [
      [asked, ...worked, done, asked],
      ['hm', undefined],
    ],
  ] as const) {
    await using scene = await sceneOf(chat, { steps: [chunk({ content: 'ok' }), end('stop')] }, {}, { messages });
    await collect(scene.provider, scene.request);
    const { messages: sent } = scene.server.requests[0]!.body as {
      messages: { role: string; reasoning_content?: string }[];
    };
    const answers = sent.filter(({ role }) => role === 'assistant');
    expect(answers.map(({ reasoning_content }) => reasoning_content)).toEqual(reasoning);
  }
});

describe('pieces of reasoning (`reasoning_details`)', () => {
  const text = (more: object) => ({ type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, ...more });
  const sealed = { type: 'reasoning.encrypted', data: 'ENC', id: 'r1', format: 'openai-responses-v1', index: 1 };
  const thinking = [
    chunk({ reasoning: 'Let me ', reasoning_details: [text({ text: 'Let me ' })] }),
    chunk({ reasoning: 'look.', reasoning_details: [text({ text: 'look.' })] }),
    chunk({ reasoning_details: [text({ signature: 'SIG' }), sealed] }),
  ];
  const whole = [text({ text: 'Let me look.', signature: 'SIG' }), sealed];
  const answered = async (steps: readonly string[]) => {
    await using scene = await sceneOf(chat, {
      steps: [...steps, chunk(call(0, 'a', 'read', '{}')), end('tool_calls')],
    });
    return await collect(scene.provider, scene.request);
  };
  const sentBack = async (messages: ReturnType<typeof messagesAfter>) => {
    await using scene = await sceneOf(chat, { steps: [chunk({ content: 'ok' }), end('stop')] }, {}, { messages });
    await collect(scene.provider, scene.request);
    const body = scene.server.requests[0]!.body as { messages: Record<string, unknown>[] };
    return body.messages.find(({ role }) => role === 'assistant');
  };

  test('are sent back unchanged with their message, in later questions too', async () => {
    const first = messagesAfter(await answered(thinking), 'box');
    const later = [...first, { role: 'user' as const, parts: [{ type: 'text' as const, text: 'and now?' }] }];
    for (const messages of [first, later]) {
      const answer = await sentBack(messages);
      expect(answer).toMatchObject({ reasoning_details: whole, tool_calls: [{ id: 'a' }] });
      expect(answer).not.toHaveProperty('reasoning_content');
    }
  });

  test('are shown if the server sends no plain text of them', async () => {
    const steps = [chunk({ reasoning_details: [text({ text: 'Let me ' })] }), chunk({ reasoning_details: whole })];
    const signals = await answered(steps);
    expect(signals.flatMap((signal) => (signal.type === 'reasoning' ? [signal.text] : []))).toContain('Let me ');
    expect(await sentBack(messagesAfter(signals, 'box'))).toMatchObject({
      reasoning_details: [text({ text: 'Let me Let me look.', signature: 'SIG' }), sealed],
    });
  });

  test('are stored without their texts, and not sent back if a secret was removed from those', async () => {
    const signals = await answered(thinking);
    const kept = signals.flatMap((signal) => (signal.type === 'reasoning' && signal.opaque ? [signal.opaque] : []));
    expect(kept).toHaveLength(1);
    expect(kept[0]).not.toContain('look');
    const cleaned = signals.map((signal) =>
      signal.type === 'reasoning' && signal.text ? { ...signal, text: signal.text.replace('look', '[gone]') } : signal,
    );
    const answer = await sentBack(messagesAfter(cleaned, 'box'));
    expect(answer).not.toHaveProperty('reasoning_details');
    expect(answer).toMatchObject({ reasoning_content: 'Let me [gone].' });
  });
});

test('reasoning, cached and reasoned tokens are reported', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 80 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  await using scene = await sceneOf(chat, {
    steps: [chunk({ reasoning_content: 'hm' }), chunk({ content: 'yes' }), end('length', usage)],
  });
  expect(await collect(scene.provider, scene.request)).toEqual([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'yes' },
    { type: 'usage', usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 80, reasoningTokens: 5 } },
    { type: 'finish', reason: 'length' },
  ]);
});

test('a server without a key is sent none', async () => {
  await using scene = await sceneOf(
    {
      ...chat,
      vendor: (url) => compatible({ name: 'box', baseUrl: `${url}/v1`, setting: 'x' }),
    },
    { steps: [chunk({ content: 'ok' }), end('stop')] },
  );
  await collect(scene.provider, scene.request);
  expect(scene.server.requests[0]!.headers).not.toHaveProperty('authorization');
});

test('the window is the configured one, or else the one that the server reports for the model', async () => {
  await using scene = await sceneOf(chat, { steps: [] });
  expect(await scene.provider.contextWindow?.('qwen3')).toBe(32768);
  expect(await scene.provider.models()).toEqual([{ name: 'qwen3', contextWindow: 32768 }]);
  const set = compatible({ name: 'box', baseUrl: 'http://127.0.0.1:1/v1', setting: 'x', contextWindow: 4096 });
  expect(set.windowOf('any')).toBe(4096);
});

test('a server that needs a missing key says so, and the error names the setting', async () => {
  const dialect: Dialect = {
    ...chat,
    vendor: (url) => compatible({ name: 'box', baseUrl: `${url}/v1`, setting: 'providers.compatible.box.baseUrl' }),
  };
  const answer = { status: 401, type: 'application/json', steps: [JSON.stringify({ error: { message: 'no key' } })] };
  await using scene = await sceneOf(dialect, answer);
  const error = await failureOf(collect(scene.provider, scene.request));
  expect(error.message).toBe('The provider box wants a key, and none is set (401: no key).');
  expect(error.hint).toContain('apiKeyEnv');
});

test("the code of an error inside the stream is the server's own", async () => {
  const error = { message: 'engine overloaded', code: 503 };
  await using scene = await sceneOf(chat, { steps: [event({ error })] });
  const failure = await failureOf(collect(scene.provider, scene.request));
  expect(failure.message).toBe('box stopped with an error: engine overloaded (503).');
  expect(failure.data).toMatchObject({ retryable: true });
});
