// The laws of each vendor: no message tells the key, nothing is asked twice, a stop closes the connection.
import { inspect } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { type Answer, startFaultServer } from '../../support/fault-server.ts';
import { messages as anthropic } from '../anthropic/dialect.ts';
import { converse as bedrock } from '../bedrock/dialect.ts';
import { chat as compatible } from '../compatible/dialect.ts';
import { generateContent as gemini } from '../gemini/dialect.ts';
import { responsesDialect as openai } from '../openai/dialect.ts';
import { collect, failureOf, requestOf, textOf } from '../provider.contract.ts';
import { type Dialect, sceneOf } from '../vendor-scenes.ts';

const vendors = { openai, anthropic, gemini, bedrock, compatible };
const whole = ({ begin = '', says, end }: Dialect): Answer => ({ steps: [begin, says('fine'), end] });
const refusal = (status: number, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  type: 'application/json',
  steps: [JSON.stringify({ error: { message }, message })],
  headers,
});
const keyOf = (dialect: Dialect) => dialect.vendor('http://127.0.0.1:1').key!.fromVariable()!;

describe.each(Object.entries(vendors))('%s', (_name, dialect) => {
  test('sends the key to the vendor, and never includes it in an error that the vendor quotes', async () => {
    const key = keyOf(dialect);
    const quoting = `Incorrect API key provided: ${key}`;
    for (const answer of [
      refusal(401, quoting),
      refusal(403, quoting),
      refusal(400, quoting),
      refusal(500, quoting),
      { status: 500, type: 'text/plain', steps: [quoting] },
      { status: 302, headers: { location: `http://elsewhere.example/?key=${key}` } },
      { steps: [dialect.begin ?? '', dialect.says('x'), { fault: 'reset' }] },
    ] satisfies Answer[]) {
      await using scene = await sceneOf(
        dialect,
        answer,
        {},
        { messages: [{ role: 'user', parts: [{ type: 'text', text: 'planted-words' }] }] },
      );
      const error = await failureOf(collect(scene.provider, scene.request));
      expect(JSON.stringify(scene.server.requests[0]!.headers)).toContain(key);
      const told = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
      expect(told).not.toContain(key);
      expect(told).not.toContain('planted-words');
    }
  });

  test('a missing key is reported with its variable and the page that issues it, and nothing is sent', async () => {
    await using server = await startFaultServer({});
    const vendor = dialect.vendor(server.url);
    const provider = createAiSdkProvider(
      { ...vendor, keyIsNeeded: true, key: { variable: 'THE_KEY', fromVariable: () => undefined } },
      { timeoutSeconds: 20 },
    );
    const error = await failureOf(collect(provider, requestOf('x')));
    expect(error).toMatchObject({ code: 'PROVIDER_KEY', message: expect.stringContaining('THE_KEY') });
    expect(error.hint).toContain(vendor.keySite ?? 'THE_KEY');
    expect(server.requests).toEqual([]);
  });

  test('a key that no header can contain is refused here, unquoted', async () => {
    const vendor = dialect.vendor('http://127.0.0.1:1');
    const key = { variable: 'THE_KEY', fromVariable: () => 'half of\nit' };
    const provider = createAiSdkProvider({ ...vendor, key }, { timeoutSeconds: 20 });
    const error = await failureOf(collect(provider, requestOf('x')));
    expect(error.code).toBe('PROVIDER_KEY');
    expect(inspect(error)).not.toContain('half of');
  });

  test('a wrong key is reported with its variable', async () => {
    await using scene = await sceneOf(dialect, refusal(401, 'no'));
    const { message, hint } = await failureOf(collect(scene.provider, scene.request));
    expect(message).toContain(dialect.vendor('http://127.0.0.1:1').key!.variable);
    expect(hint).toContain('export');
  });

  test('a 429 is returned after one request with its delay, and a later request succeeds', async () => {
    await using scene = await sceneOf(dialect, [refusal(429, 'slow down', { 'retry-after': '7' }), whole(dialect)]);
    const error = await failureOf(collect(scene.provider, scene.request));
    expect(error.data).toMatchObject({ retryable: true, retryAfterMs: 7000 });
    expect(scene.server.requests).toHaveLength(1);
    expect(textOf(await collect(scene.provider, scene.request))).toBe('fine');
    expect(scene.server.requests).toHaveLength(2);
  });

  test.each([
    [408, true],
    [500, true],
    [502, true],
    [503, true],
    [529, true],
    [400, false],
    [402, false],
    [501, false],
  ])('a %d may be temporary: %s', async (status, mayPass) => {
    await using scene = await sceneOf(dialect, refusal(status, 'oh no'));
    const { data } = await failureOf(collect(scene.provider, scene.request));
    expect(data.retryable === true).toBe(mayPass);
  });

  test('an error inside the stream is quoted without a status that the server never sent', async () => {
    await using scene = await sceneOf(dialect, { steps: [dialect.begin ?? '', dialect.says('a'), dialect.fails] });
    const { message, data } = await failureOf(collect(scene.provider, scene.request));
    expect(message).toMatch(/ stopped with an error: /);
    expect(message).not.toContain('answered');
    expect(data).not.toHaveProperty('status');
  });

  test('a stream that ends early is a broken stream, and the request may be repeated', async () => {
    for (const [steps, words] of [
      [[dialect.begin ?? '', dialect.says('half')], 'cut off in the middle'],
      [dialect.type === undefined ? [': ping\n\n'] : [], 'ended the connection before an answer'],
    ] as const) {
      await using scene = await sceneOf(dialect, { steps });
      const failure = await failureOf(collect(scene.provider, scene.request));
      expect(failure).toMatchObject({ code: 'PROVIDER_BROKEN_STREAM', data: { retryable: true } });
      expect(failure.message).toContain(words);
    }
  });

  test('a delay that the server asks for is in the hint', async () => {
    await using scene = await sceneOf(dialect, refusal(429, 'slow down', { 'retry-after': '120' }));
    expect((await failureOf(collect(scene.provider, scene.request))).hint).toContain('wait 120 seconds');
  });

  test('a lost connection may be temporary, a page of HTML is not', async () => {
    await using lost = await sceneOf(dialect, { steps: [{ fault: 'reset' }] });
    expect((await failureOf(collect(lost.provider, lost.request))).data).toMatchObject({ retryable: true });
    await using page = await sceneOf(dialect, { type: 'text/html', steps: ['<html>'] });
    expect((await failureOf(collect(page.provider, page.request))).data).not.toHaveProperty('retryable');
  });

  test('a missing model is reported with the existing ones', async () => {
    const { status, body } = dialect.missing;
    await using scene = await sceneOf(dialect, { status, type: 'application/json', steps: [JSON.stringify(body)] });
    const [first] = await scene.provider.models();
    expect((await failureOf(collect(scene.provider, scene.request))).message).toContain(first!.name);
  });

  test('a stop closes the connection, and so does a caller that leaves', async () => {
    const steps = [dialect.begin ?? '', dialect.says('a'), { fault: 'stall' }] as const;
    await using scene = await sceneOf(dialect, { steps });
    const stop = new AbortController();
    const consume = async () => {
      for await (const _ of scene.provider.stream(scene.request, { signal: stop.signal })) stop.abort();
    };
    expect(await failureOf(consume())).toMatchObject({ code: 'INTERRUPTED' });
    await scene.server.allClosed();
    for await (const _ of scene.provider.stream(scene.request, { signal: new AbortController().signal })) break;
    await scene.server.allClosed();
  });

  test('a redirect is not followed: the conversation stays here', async () => {
    await using target = await sceneOf(dialect, whole(dialect));
    const headers = { location: `${target.server.url}${dialect.answerPath}` };
    await using here = await sceneOf(dialect, { status: 308, headers });
    await failureOf(collect(here.provider, here.request));
    expect(target.server.requests).toEqual([]);
  });

  test('images of a tool are sent with its result, or the model gets them described', async () => {
    // Bedrock's models differ: see its own test.
    const sees = dialect !== compatible && dialect !== bedrock;
    const picture = { type: 'image', mediaType: 'image/png', blob: 'there' } as const;
    const result = { callId: 'c1', name: 'look', content: 'The page:', isError: false };
    await using scene = await sceneOf(
      dialect,
      whole(dialect),
      {},
      {
        tools: [{ name: 'look', description: 'looks', parameters: { type: 'object', properties: {} } }],
        readBlob: async (sha256) => (sha256 === 'there' ? Buffer.from('planted-picture') : undefined),
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'look' }] },
          {
            role: 'assistant',
            parts: [],
            toolCalls: ['c1', 'c2'].map((callId) => ({ callId, name: 'look', args: {} })),
          },
          {
            role: 'tool',
            results: [
              { ...result, images: [picture, { ...picture, blob: 'gone' }, { ...picture, mediaType: 'image/tiff' }] },
              { ...result, callId: 'c2', isError: true, images: [picture] },
            ],
          },
        ],
      },
    );
    await collect(scene.provider, scene.request);
    const sent = JSON.stringify(scene.server.requests[0]!.body);
    const base64 = Buffer.from('planted-picture').toString('base64');
    expect(sent.split(base64)).toHaveLength(sees ? 2 : 1);
    expect(sent).toContain('The page:');
    expect(sent).toContain('an image (image/png) that is no longer there');
    expect(sent).toContain('an image (image/tiff) that this model cannot be shown');
    expect(sent.split('an image (image/png) that this model cannot be shown')).toHaveLength(sees ? 2 : 3);
  });

  test('an empty answer is an answer', async () => {
    await using scene = await sceneOf(dialect, { steps: [dialect.begin ?? '', dialect.end] });
    const types = (await collect(scene.provider, scene.request)).map(({ type }) => type);
    expect(types.filter((type) => type !== 'input-usage')).toEqual(['usage', 'finish']);
  });

  test('an answer with two ends ends once', async () => {
    await using scene = await sceneOf(dialect, { steps: [...whole(dialect).steps!, dialect.end] });
    const types = (await collect(scene.provider, scene.request)).map(({ type }) => type);
    expect(types.filter((type) => type === 'finish')).toHaveLength(1);
    expect(types.at(-1)).toBe('finish');
  });

  test('bytes that are not UTF-8 are a broken stream, not question marks', async () => {
    const bytes = Buffer.from(dialect.says('x\u00c3x')).toString('latin1').replace('Ã\u0083', 'Ã(');
    await using scene = await sceneOf(dialect, {
      steps: [dialect.begin ?? '', Buffer.from(bytes, 'latin1'), dialect.end],
    });
    expect(await failureOf(collect(scene.provider, scene.request))).toMatchObject({ code: 'PROVIDER_BROKEN_STREAM' });
  });

  test('only the named address is contacted, even if the environment says otherwise', async () => {
    await using decoy = await startFaultServer({});
    const names = ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME'];
    const saved = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = decoy.url;
    try {
      await using scene = await sceneOf(dialect, whole(dialect));
      expect(textOf(await collect(scene.provider, scene.request))).toBe('fine');
    } finally {
      names.forEach((name, index) => {
        if (saved[index] === undefined) delete process.env[name];
        else process.env[name] = saved[index];
      });
    }
    expect(decoy.requests).toEqual([]);
  });

  test('a mock that its makers keep in step with the vendor gives text, a call, an error', async () => {
    const mock = new LLMock({ port: 0, chunkSize: 3 });
    mock.onMessage('hello', { content: 'Hello to you, 世界!' });
    mock.onMessage('weather', { toolCalls: [{ name: 'weather', arguments: '{"city":"Bern"}' }] });
    mock.onMessage('fail', { error: { message: 'the model is on fire', type: 'server_error' }, status: 500 });
    const url = await mock.start();
    try {
      const provider = createAiSdkProvider(dialect.vendor(url), { timeoutSeconds: 20 });
      const parameters = { type: 'object', properties: { city: { type: 'string' } } };
      const tools = [{ name: 'weather', description: 'tells the weather', parameters }];
      const ask = (text: string) => collect(provider, requestOf(text, { model: 'test', tools }));
      expect(textOf(await ask('hello'))).toBe('Hello to you, 世界!');
      const called = await ask('weather?');
      expect(called).toContainEqual({
        type: 'tool-call',
        call: expect.objectContaining({ name: 'weather', args: { city: 'Bern' } }),
      });
      expect(called.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
      const error = await failureOf(ask('fail'));
      expect(error).toMatchObject({
        code: 'PROVIDER_FAILED',
        message: expect.stringContaining('the model is on fire'),
      });
      expect(error.data).toMatchObject({ retryable: true });
    } finally {
      await mock.stop();
    }
  });
});
