import { LLMock } from '@copilotkit/aimock';
import { createOllamaProvider, type OllamaOptions } from '../../../lib/providers/ollama/index.ts';
import type { ModelRequest } from '../../../lib/providers/provider.ts';
import { type Answer, deadUrl, type FaultServer, type Step, startFaultServer } from '../../support/fault-server.ts';
import { collect, failureOf, providerContract, requestOf, textOf } from '../provider.contract.ts';

const line = (value: object) => `${JSON.stringify(value)}\n`;
const says = (content: string) => line({ message: { role: 'assistant', content }, done: false });
const done = line({
  message: { role: 'assistant', content: '' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 11,
  eval_count: 7,
});
const bytes = (text: string) => new TextEncoder().encode(text);
const tags: Answer = {
  type: 'application/json; charset=utf-8',
  steps: [
    JSON.stringify({
      models: [
        { name: 'llama3.2:latest', size: 5, details: { family: 'llama' } },
        { name: 'nomic-embed-text', details: { family: 'nomic-bert' } },
      ],
    }),
  ],
};

async function scene(
  steps: readonly Step[],
  more: Omit<Answer, 'steps'> = {},
  options: OllamaOptions = {},
  request = requestOf('hello'),
) {
  const server = await startFaultServer({ '/api/chat': { ...more, steps }, '/api/tags': tags });
  return served(server, { ...options, host: server.url }, request);
}

function served(server: FaultServer, options: OllamaOptions, request: ModelRequest) {
  return {
    server,
    request,
    provider: createOllamaProvider(options),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Each byte a piece of its own. */
const dripped = (text: string) => Array.from(bytes(text), (byte) => Uint8Array.of(byte));

providerContract('ollama', {
  answers: async () => ({
    ...(await scene([...dripped(says('Grüße, 世界 🎉 ')), says('and more'), done])),
    holds: 'Grüße, 世界 🎉 and more',
  }),
  goesOn: () => scene([says('a beginning'), { fault: 'stall' }]),
  failures: {
    'nothing that listens': {
      code: 'PROVIDER_UNREACHABLE',
      scene: async () => {
        const unused = await scene([]);
        return { ...unused, provider: createOllamaProvider({ host: await deadUrl() }) };
      },
    },
    'a host that is not there': {
      code: 'PROVIDER_UNREACHABLE',
      scene: async () => ({ ...(await scene([])), provider: createOllamaProvider({ host: 'no-such-host.invalid' }) }),
    },
    'a stream that ends without its last line': { code: 'PROVIDER_BROKEN_STREAM', scene: () => scene([says('half')]) },
    'a stream that ends in half a line': {
      code: 'PROVIDER_BROKEN_STREAM',
      scene: () => scene([says('half'), '{"message":{"con']),
    },
    'a connection that is closed in the middle': {
      code: 'PROVIDER_BROKEN_STREAM',
      scene: () => scene([says('half'), { fault: 'cut' }]),
    },
    'a connection that is reset in the middle': {
      code: 'PROVIDER_BROKEN_STREAM',
      scene: () => scene([says('half'), { fault: 'reset' }]),
    },
    'a connection that is reset before it answers': {
      code: 'PROVIDER_BROKEN_STREAM',
      scene: () => scene([{ fault: 'reset' }]),
    },
    'a server that says nothing': {
      code: 'PROVIDER_TIMEOUT',
      scene: () => scene([{ fault: 'stall' }], {}, { timeoutSeconds: 0.1 }),
    },
    'a server that falls silent': {
      code: 'PROVIDER_TIMEOUT',
      scene: () => scene([says('a'), { fault: 'stall' }], {}, { timeoutSeconds: 0.1 }),
    },
    'an error line in the middle': {
      code: 'PROVIDER_FAILED',
      scene: () => scene([says('a'), line({ error: 'out of memory' })]),
    },
    'a line that is not JSON': { code: 'PROVIDER_BROKEN_STREAM', scene: () => scene([says('a'), '{broken}\n', done]) },
    'bytes that are not UTF-8': {
      code: 'PROVIDER_BROKEN_STREAM',
      scene: () => scene([Buffer.from('{"message":{"content":"\xc3("}}\n', 'latin1'), done]),
    },
    'a page of HTML': { code: 'PROVIDER_BROKEN_STREAM', scene: () => scene(['<html>'], { type: 'text/html' }) },
    'a 404 of a web server': {
      code: 'PROVIDER_BROKEN_STREAM',
      scene: () => scene(['<html>'], { type: 'text/html', status: 404 }),
    },
    'a model that is missing': {
      code: 'MODEL_NOT_FOUND',
      scene: () => scene([line({ error: "model 'test' not found" })], { status: 404, type: 'application/json' }),
    },
    'no model at all': { code: 'MODEL_NOT_FOUND', scene: () => scene([], {}, {}, requestOf('hi', { model: '' })) },
    'a 500': {
      code: 'PROVIDER_FAILED',
      scene: () =>
        scene([line({ error: 'llama runner process has terminated' })], { status: 500, type: 'application/json' }),
    },
    'a 500 without words': { code: 'PROVIDER_FAILED', scene: () => scene([], { status: 500, type: 'text/plain' }) },
    'a 429 of a gateway': {
      code: 'PROVIDER_FAILED',
      scene: () => scene([line({ error: { message: 'slow down' } })], { status: 429, type: 'application/json' }),
    },
    'a redirect to another host': {
      code: 'PROVIDER_FAILED',
      scene: () => scene([], { status: 307, headers: { location: 'http://elsewhere.example/api/chat' } }),
    },
  },
});

describe('lines before an error of Ollama', () => {
  test.each([
    ['an error', line({ error: 'runner died' }), 'PROVIDER_FAILED'],
    ['a broken line', '{broken}\n', 'PROVIDER_BROKEN_STREAM'],
  ])('in the same piece as %s are part of the answer', async (_, last, code) => {
    await using scene_ = await scene([says('early '), says('late 1 ') + says('late 2') + last]);
    let text = '';
    const reading = (async () => {
      for await (const signal of scene_.provider.stream(scene_.request, { signal: new AbortController().signal }))
        if (signal.type === 'text') text += signal.text;
    })();
    expect((await failureOf(reading)).code).toBe(code);
    expect(text).toBe('early late 1 late 2');
  });

  test('may be a refusal for length, before the answer and inside it', async () => {
    const said = line({ error: 'the input length exceeds the context length' });
    for (const more of [{ status: 400, type: 'application/json' }, {}]) {
      await using long = await scene([said], more);
      expect((await failureOf(collect(long.provider, long.request))).code).toBe('CONTEXT_TOO_SMALL');
    }
  });
});

describe('an error message of Ollama', () => {
  test('for a server that is down names its address and the command to start it', async () => {
    const host = await deadUrl();
    const error = await failureOf(collect(createOllamaProvider({ host }), requestOf('x')));
    expect(error.message).toBe(`Ollama does not answer at ${host} (the connection was refused).`);
    expect(error.hint).toContain('"ollama serve"');
    expect(error.hint).toContain('--provider offline');
  });

  test('for a missing model lists the models, and how to get it', async () => {
    await using down = await scene([line({ error: 'model "x" not found' })], { status: 404, type: 'application/json' });
    const error = await failureOf(collect(down.provider, requestOf('x', { model: 'qwen3' })));
    expect(error.message).toContain('has no model "qwen3". Among its models are: llama3.2:latest.');
    expect(error.hint).toContain('ollama pull qwen3');
  });

  test('for a model without tools says how to continue', async () => {
    await using poor = await scene([line({ error: 'registry.ollama.ai/library/x does not support tools' })], {
      status: 400,
      type: 'application/json',
    });
    expect((await failureOf(collect(poor.provider, requestOf('x')))).hint).toMatch(/can call tools/);
  });

  test('quotes the server on one line, without control characters, and with a bounded length', async () => {
    await using rude = await scene([says('a'), line({ error: `bad\n\u001b[31m${'x'.repeat(5000)}` })]);
    const { message } = await failureOf(collect(rude.provider, requestOf('x')));
    expect(message).not.toMatch(/[\n\u001b]/);
    expect(message.length).toBeLessThan(500);
  });

  test('is never printed to the console, for any answer of the server', async () => {
    const printed: unknown[] = [];
    const methods = ['log', 'warn', 'error'] as const;
    const saved = methods.map((method) => console[method]);
    for (const method of methods) console[method] = (...args: unknown[]) => printed.push(args);
    try {
      for (const [steps, more] of [
        [['{broken}\n'], {}],
        [['oops'], { status: 500, type: 'text/plain' }],
        [['{"error":'], { status: 400, type: 'application/json' }],
      ] as const) {
        await using bad = await scene([...steps], more);
        await failureOf(collect(bad.provider, bad.request));
      }
    } finally {
      methods.forEach((method, index) => {
        console[method] = saved[index]!;
      });
    }
    expect(printed).toEqual([]);
  });

  test('reports a redirect, which is not followed, so that the conversation stays here', async () => {
    await using target = await scene([says('x'), done]);
    await using here = await scene([], { status: 308, headers: { location: `${target.server.url}/api/chat` } });
    await failureOf(collect(here.provider, here.request));
    expect(target.server.requests).toEqual([]);
  });
});

describe('an answer of Ollama', () => {
  test('cut at any byte is broken, never complete', async () => {
    const whole = bytes(says('é🎉') + done);
    for (let length = 0; length < whole.length - 1; length += 5) {
      await using cut = await scene([whole.subarray(0, length)]);
      expect(await failureOf(collect(cut.provider, cut.request))).toMatchObject({ code: 'PROVIDER_BROKEN_STREAM' });
    }
    await using unended = await scene([says('half').trimEnd()]);
    expect((await failureOf(collect(unended.provider, unended.request))).message).toContain('cut off in the middle');
    await using complete = await scene([whole.subarray(0, whole.length - 1)]);
    expect(textOf(await collect(complete.provider, complete.request))).toBe('é🎉');
  });

  test('has reasoning, text, usage and its end', async () => {
    await using full = await scene([
      line({ message: { role: 'assistant', content: '', thinking: 'hm' }, done: false }),
      says('yes'),
      line({
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'length',
        prompt_eval_count: 3,
        eval_count: 4,
      }),
    ]);
    expect(await collect(full.provider, full.request)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'yes' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 4 } },
      { type: 'finish', reason: 'length' },
    ]);
  });

  test('has an id for each tool call, accepts arguments as text, and passes on invalid JSON unchanged', async () => {
    const call = (args: unknown, id?: string) => ({ ...(id && { id }), function: { name: 'read', arguments: args } });
    await using tools = await scene([
      line({
        message: { role: 'assistant', content: '', tool_calls: [call({ path: 'a' }), call('{"path":"b"}')] },
        done: false,
      }),
      line({ message: { role: 'assistant', content: '', tool_calls: [call('{"path":', 'theirs')] }, done: false }),
      done,
    ]);
    const signals = await collect(tools.provider, tools.request);
    const calls = signals.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
    expect(calls.map(({ args }) => args)).toEqual([{ path: 'a' }, { path: 'b' }, '{"path":']);
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
    expect(calls[2]!.callId).toBe('theirs');
    expect(signals.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
  });

  test('closes the connection when it is stopped', async () => {
    await using slow = await scene([says('a'), { fault: 'stall' }]);
    const stop = new AbortController();
    const consume = async () => {
      for await (const _ of slow.provider.stream(slow.request, { signal: stop.signal })) stop.abort();
    };
    await failureOf(consume());
    await slow.server.allClosed();
  });

  test('may be read more slowly than the time limit', async () => {
    await using quick = await scene([says('a'), says('b'), done], {}, { timeoutSeconds: 4 });
    let text = '';
    for await (const part of quick.provider.stream(quick.request, { signal: new AbortController().signal })) {
      if (text === '') await new Promise((resolve) => setTimeout(resolve, 4_500));
      if (part.type === 'text') text += part.text;
    }
    expect(text).toBe('ab');
  });
});

test('the request has system, history, tools, images, files, window and limits', async () => {
  await using full = await scene([says('ok'), done]);
  const blobs: Record<string, Uint8Array> = {
    img: Uint8Array.of(1, 2, 3),
    txt: bytes('content'),
    bin: Uint8Array.of(0xff, 0),
  };
  await collect(full.provider, {
    model: 'llama3.2',
    system: 'be brief',
    contextWindow: 8192,
    maxOutputTokens: 100,
    tools: [{ name: 'read', description: 'reads', parameters: { type: 'object' } }],
    readBlob: async (sha256) => blobs[sha256],
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'look' },
          { type: 'image', mediaType: 'image/png', blob: 'img' },
          { type: 'image', mediaType: 'image/png', blob: 'gone' },
          { type: 'file', name: 'a.txt', mediaType: 'text/plain', blob: 'txt' },
          { type: 'file', name: 'a.bin', mediaType: 'application/x', blob: 'bin' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'mine', provider: 'ollama' },
          { type: 'reasoning', text: 'not mine', opaque: 'x', provider: 'anthropic' },
        ],
        toolCalls: [{ callId: '1', name: 'read', args: { path: 'x' } }],
      },
      { role: 'tool', results: [{ callId: '1', name: 'read', content: 'no such file', isError: true }] },
      { role: 'assistant', parts: [], toolCalls: [{ callId: '2', name: 'look', args: {} }] },
      {
        role: 'tool',
        results: [
          {
            callId: '2',
            name: 'look',
            content: 'see',
            isError: false,
            images: [{ type: 'image', mediaType: 'image/png', blob: 'img' }],
          },
        ],
      },
    ],
  });
  expect(full.server.requests.find(({ path }) => path === '/api/chat')!.body).toEqual({
    model: 'llama3.2',
    stream: true,
    options: { num_ctx: 8192, num_predict: 100 },
    tools: [{ type: 'function', function: { name: 'read', description: 'reads', parameters: { type: 'object' } } }],
    messages: [
      { role: 'system', content: 'be brief' },
      {
        role: 'user',
        content:
          'look\n\n[an image (image/png) that is no longer there]\n\na.txt:\ncontent\n\n[the file a.bin (application/x, 2 bytes) is not text]',
        images: ['AQID'],
      },
      {
        role: 'assistant',
        content: '',
        thinking: 'mine',
        tool_calls: [{ function: { name: 'read', arguments: { path: 'x' } } }],
      },
      { role: 'tool', tool_name: 'read', content: 'Error: no such file' },
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'look', arguments: {} } }] },
      { role: 'tool', tool_name: 'look', content: 'see', images: ['AQID'] },
    ],
  });
});

describe('the missing abilities of a model', () => {
  const asked = async (capabilities: readonly string[] | undefined) => {
    await using server = await startFaultServer({
      '/api/chat': { steps: [says('ok'), done] },
      '/api/show': { type: 'application/json', steps: [JSON.stringify({ capabilities })] },
    });
    const provider = createOllamaProvider({ host: server.url });
    const request = requestOf('', {
      tools: [{ name: 'read', description: 'reads', parameters: { type: 'object' } }],
      readBlob: async () => Uint8Array.of(1),
      messages: [{ role: 'user', parts: [{ type: 'image', mediaType: 'image/png', blob: 'img' }] }],
    });
    for (let time = 0; time < 2; time++) await collect(provider, request);
    const chats = server.requests.filter(({ path }) => path === '/api/chat');
    expect(server.requests).toHaveLength(chats.length + 1);
    return chats[0]!.body as { tools?: unknown[]; messages: { content: string; images?: string[] }[] };
  };

  test('are replaced: no tools are offered, and images are described in words', async () => {
    const { tools, messages } = await asked(['completion']);
    expect(tools).toBeUndefined();
    expect(messages).toEqual([{ role: 'user', content: '[an image (image/png) that this model cannot be shown]' }]);
  });

  test.each([[['completion', 'tools', 'vision']], [undefined], [[]]])(
    'do not come from the answer %j',
    async (capabilities) => {
      const { tools, messages } = await asked(capabilities);
      expect(tools).toHaveLength(1);
      expect(messages[0]!.images).toEqual(['AQ==']);
    },
  );
});

test.each([
  ['a busy server', { status: 503, headers: { 'retry-after': '2' } }, { retryable: true, retryAfterMs: 2000 }],
  ['a server that says no', { status: 400 }, undefined],
])('%s: the error says whether to ask again', async (_title, more, advice) => {
  await using busy = await scene([line({ error: 'no' })], { ...more, type: 'application/json' });
  const { data } = await failureOf(collect(busy.provider, busy.request));
  expect(data.retryable).toBe(advice?.retryable);
  expect(data.retryAfterMs).toBe(advice?.retryAfterMs);
});

describe('the other requests to Ollama', () => {
  test('list the models that can hold a conversation', async () => {
    await using there = await scene([]);
    expect(await there.provider.models()).toEqual([{ name: 'llama3.2:latest', sizeBytes: 5 }]);
  });

  test('report an invalid list as such', async () => {
    await using server = await startFaultServer({ '/api/tags': { type: 'application/json', steps: ['{"hello":1}'] } });
    await expect(createOllamaProvider({ host: server.url }).models()).rejects.toMatchObject({
      code: 'PROVIDER_BROKEN_STREAM',
    });
  });

  test('probe whether a server answers, and report why not', async () => {
    await using there = await scene([]);
    expect(await there.provider.probe({ timeoutMs: 20_000 })).toMatchObject({
      answers: true,
      host: there.server.url,
      models: [{ name: 'llama3.2:latest' }],
    });

    await using stalled = await startFaultServer({
      '/api/tags': { type: 'application/json', steps: [{ fault: 'stall' }] },
    });
    const silent = await createOllamaProvider({ host: stalled.url }).probe({ timeoutMs: 50 });
    expect(silent).toMatchObject({
      answers: false,
      accepts: true,
      reason: expect.stringContaining('accepted the connection and did not answer within 0.05 s'),
    });

    const down = await createOllamaProvider({ host: await deadUrl() }).probe({ timeoutMs: 20_000 });
    expect(down).toMatchObject({ answers: false, accepts: false, reason: expect.stringContaining('accepts') });
  });

  test('the context window of a model is read from its details, and asked for once', async () => {
    const info = { 'general.architecture': 'llama', 'llama.context_length': 131072, 'llama.embedding_length': 2048 };
    await using server = await startFaultServer({
      '/api/show': { type: 'application/json', steps: [JSON.stringify({ model_info: info })] },
    });
    const provider = createOllamaProvider({ host: server.url });
    expect(await provider.contextWindow('llama3.2')).toBe(131072);
    expect(await provider.contextWindow('llama3.2')).toBe(131072);
    expect(server.requests.map(({ body }) => body)).toEqual([expect.objectContaining({ model: 'llama3.2' })]);
  });

  test.each([
    ['stop                           "<|eot|>"\nnum_ctx                        32768\ntemperature 0.7', 32768],
    ['stop                           "num_ctx 7"', undefined],
    ['num_ctx 0', undefined],
    [undefined, undefined],
    [7, undefined],
  ])('the configured context of a model is in its parameters: %j', async (parameters, tokens) => {
    await using server = await startFaultServer({
      '/api/show': { type: 'application/json', steps: [JSON.stringify({ parameters })] },
    });
    expect(await createOllamaProvider({ host: server.url }).ownWindow('x')).toBe(tokens);
  });

  test('a model without details has no known window', async () => {
    await using server = await startFaultServer({ '/api/show': { type: 'application/json', steps: ['{}'] } });
    expect(await createOllamaProvider({ host: server.url }).contextWindow('x')).toBeUndefined();
  });

  test('name and password of the address are sent in a header, and never in messages', async () => {
    const address = (await deadUrl()).replace('//', '//me:s%40cret@');
    const provider = createOllamaProvider({ host: address });
    expect(provider.host).not.toContain('cret');
    const error = await failureOf(collect(provider, requestOf('x')));
    expect(`${error.message}${error.hint}${JSON.stringify(error.data)}`).not.toContain('cret');

    await using server = await startFaultServer({ '/api/tags': tags });
    await createOllamaProvider({ host: server.url.replace('//', '//me:s%40cret@') }).models();
    expect(server.requests[0]!.headers.authorization).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`);
  });
});

describe('a mock that its makers keep in step with Ollama', () => {
  test('is sent text and tools, and gives an error', async () => {
    const mock = new LLMock({ port: 0, chunkSize: 3 });
    mock.onMessage('hello', { content: 'Hello to you, 世界!' });
    mock.onMessage('weather', { toolCalls: [{ name: 'weather', arguments: '{"city":"Bern"}' }] });
    mock.onMessage('fail', { error: { message: 'the model is on fire', type: 'server_error' }, status: 500 });
    const host = await mock.start();
    try {
      const provider = createOllamaProvider({ host });
      const hello = await collect(provider, requestOf('hello'));
      expect(textOf(hello)).toBe('Hello to you, 世界!');
      expect(hello.filter(({ type }) => type === 'text').length).toBeGreaterThan(3);

      const tool = await collect(provider, requestOf('weather?'));
      expect(tool).toContainEqual({
        type: 'tool-call',
        call: expect.objectContaining({ name: 'weather', args: { city: 'Bern' } }),
      });
      expect(tool.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });

      expect(await failureOf(collect(provider, requestOf('fail')))).toMatchObject({
        code: 'PROVIDER_FAILED',
        message: expect.stringContaining('the model is on fire'),
      });
      expect((await provider.models()).length).toBeGreaterThan(0);
    } finally {
      await mock.stop();
    }
  });
});
