// Sampling settings of a model: the ones that each wire is sent, and the ones reported as not sent.
import fc from 'fast-check';
import { createOllamaProvider } from '../../lib/providers/ollama/index.ts';
import { SAMPLING_NAMES, type Sampling, type SamplingName } from '../../lib/providers/sampling.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { messages as anthropic } from './anthropic/dialect.ts';
import { converse as bedrock } from './bedrock/dialect.ts';
import { chat as compatible } from './compatible/dialect.ts';
import { generateContent as gemini } from './gemini/dialect.ts';
import { responsesDialect as openai } from './openai/dialect.ts';
import { collect, requestOf } from './provider.contract.ts';
import { sceneOf } from './vendor-scenes.ts';

const vendors = { openai, anthropic, gemini, bedrock, compatible };
const ALL = { temperature: 0.25, topP: 0.75, seed: 7, stop: ['END'] } satisfies Sampling;

async function sent(name: keyof typeof vendors, model: string, sampling: Sampling) {
  const { begin = '', says, end, answerPath } = vendors[name];
  const dialect = { ...vendors[name], model, answerPath: answerPath.replace('test', encodeURIComponent(model)) };
  await using scene = await sceneOf(dialect, { steps: [begin, says('ok'), end] }, {}, { sampling });
  await collect(scene.provider, scene.request);
  return {
    body: scene.server.requests[0]!.body as Record<string, unknown>,
    unsent: await scene.provider.unsent!({ model, sampling }),
    count: scene.server.requests.length,
  };
}

describe('sampling settings on the wire of', () => {
  it.each([
    ['openai', 'gpt-4o', { temperature: 0.25, top_p: 0.75 }, ['seed', 'stop']],
    ['openai', 'gpt-5', {}, ['temperature', 'topP', 'seed', 'stop']],
    ['anthropic', 'claude-3-5-haiku-latest', { temperature: 0.25, stop_sequences: ['END'] }, ['topP', 'seed']],
    [
      'gemini',
      'gemini-2.0-flash',
      { generationConfig: { temperature: 0.25, topP: 0.75, seed: 7, stopSequences: ['END'] } },
      [],
    ],
    [
      'bedrock',
      'amazon.nova-pro-v1:0',
      { inferenceConfig: { temperature: 0.25, topP: 0.75, stopSequences: ['END'] } },
      ['seed'],
    ],
    ['compatible', 'qwen3', { temperature: 0.25, top_p: 0.75, seed: 7, stop: ['END'] }, []],
  ] as const)(
    '%s, %s is sent its supported settings, and the others are reported without a request',
    async (name, model, expected, missing) => {
      const { body, unsent, count } = await sent(name, model, ALL);
      expect(body).toMatchObject(expected);
      expect(unsent).toEqual(missing);
      expect(count).toBe(1);
      const words: Record<SamplingName, RegExp> = {
        temperature: /"temperature"/,
        topP: /"top_?p"/i,
        seed: /"seed"/,
        stop: /"stop(_?sequences)?"/i,
      };
      for (const each of missing) expect(JSON.stringify(body)).not.toMatch(words[each]);
    },
  );

  it.each(['openai', 'anthropic', 'gemini', 'bedrock', 'compatible'] as const)(
    '%s no setting is lost: each changes the request, or is reported',
    (name) =>
      fc.assert(
        fc.asyncProperty(
          fc.subarray([...SAMPLING_NAMES], { minLength: 1 }),
          fc.constantFrom('gpt-4o', 'o3', 'claude-opus-4-6', 'gemini-2.5-pro', 'nova-pro', 'x'),
          async (names, model) => {
            const sampling: Sampling = Object.fromEntries(names.map((each) => [each, ALL[each]]));
            const { body, unsent } = await sent(name, model, sampling);
            expect(names).toEqual(expect.arrayContaining([...unsent]));
            const { body: bare } = await sent(name, model, {});
            const isSame = JSON.stringify(body) === JSON.stringify(bare);
            expect(isSame).toBe(unsent.length === names.length);
          },
        ),
        { numRuns: 12 },
      ),
  );

  it('Ollama is sent all settings, and how long the model stays in memory', async () => {
    await using server = await startFaultServer({
      '/api/chat': {
        type: 'application/x-ndjson',
        steps: [
          `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'ok' }, done: true, done_reason: 'stop' })}\n`,
        ],
      },
      '/api/show': { type: 'application/json', steps: ['{}'] },
    });
    const provider = createOllamaProvider({ host: server.url });
    for (const keepAlive of ['10m', '-1']) {
      await collect(provider, { ...requestOf('m'), sampling: { ...ALL, keepAlive }, contextWindow: 4096 });
    }
    const chats = server.requests.filter(({ path }) => path === '/api/chat').map(({ body }) => body);
    const options = { temperature: 0.25, top_p: 0.75, seed: 7, stop: ['END'], num_ctx: 4096 };
    expect(chats).toMatchObject([
      { keep_alive: '10m', options },
      { keep_alive: -1, options },
    ]);
    expect(provider.unsent).toBeUndefined();
  });
});
