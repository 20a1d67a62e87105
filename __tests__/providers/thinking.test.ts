// Thinking efforts of models: the modes that each provider reports for a model, and the members that are sent for them.
import { createOllamaProvider } from '../../lib/providers/ollama/index.ts';
import type { ModelMessage } from '../../lib/providers/provider.ts';
import type { ThinkingMode } from '../../lib/providers/thinking.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { messages as anthropic } from './anthropic/dialect.ts';
import { converse as bedrock } from './bedrock/dialect.ts';
import { chat as compatible } from './compatible/dialect.ts';
import { generateContent as gemini } from './gemini/dialect.ts';
import { responsesDialect as openai } from './openai/dialect.ts';
import { collect, requestOf } from './provider.contract.ts';
import { sceneOf } from './vendor-scenes.ts';

const vendors = { openai, anthropic, gemini, bedrock, compatible };
const opus = 'eu.anthropic.claude-opus-4-6-v1';
const sonnet = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

describe.each([
  ['openai', 'gpt-5.2', ['off', 'low', 'medium', 'high', 'max']],
  ['openai', 'gpt-5', ['low', 'medium', 'high']],
  ['openai', 'o3', ['low', 'medium', 'high']],
  ['openai', 'gpt-4o', []],
  ['anthropic', 'claude-opus-4-6', ['off', 'low', 'medium', 'high', 'max']],
  ['anthropic', 'claude-sonnet-4-5', ['off', 'low', 'medium', 'high', 'max']],
  ['anthropic', 'claude-3-5-haiku-latest', []],
  ['gemini', 'gemini-2.5-pro', ['low', 'medium', 'high']],
  ['gemini', 'gemini-2.5-flash', ['off', 'low', 'medium', 'high']],
  ['gemini', 'gemini-3-pro-preview', ['low', 'medium', 'high']],
  ['gemini', 'gemini-2.0-flash', []],
  ['bedrock', sonnet, ['off', 'low', 'medium', 'high', 'max']],
  ['bedrock', opus, ['off', 'low', 'medium', 'high', 'max']],
  ['bedrock', 'amazon.nova-pro-v1:0', []],
  ['compatible', 'qwen3', ['low', 'medium', 'high']],
] as const)('%s: %s', (name, model, modes) => {
  test(`has these modes, without a request: ${modes.join(', ') || 'none'}`, async () => {
    await using scene = await sceneOf(vendors[name], []);
    expect(await scene.provider.thinkingModes!(model)).toEqual(modes);
    expect(scene.server.requests).toEqual([]);
  });
});

const READ = { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } } as const;

async function sent(name: keyof typeof vendors, model: string, thinking?: ThinkingMode, messages?: ModelMessage[]) {
  const { begin = '', says, end, answerPath } = vendors[name];
  const path = answerPath.replace('test', encodeURIComponent(model));
  const dialect = { ...vendors[name], model, answerPath: path };
  await using scene = await sceneOf(
    dialect,
    { steps: [begin, says('ok'), end] },
    {},
    { thinking, ...(messages && { messages, tools: [READ] }) },
  );
  await collect(scene.provider, scene.request);
  return scene.server.requests[0]!.body as Record<string, never>;
}

describe('requests with a thinking effort', () => {
  test('OpenAI is sent an effort', async () => {
    expect(await sent('openai', 'gpt-5.2', 'low')).toMatchObject({ reasoning: { effort: 'low' } });
    expect(await sent('openai', 'gpt-5.2', 'off')).toMatchObject({ reasoning: { effort: 'none' } });
    expect(await sent('openai', 'gpt-5.2')).not.toHaveProperty('reasoning.effort');
  });

  test('Anthropic is sent a budget, or an effort if the model takes one', async () => {
    const { thinking } = await sent('anthropic', 'claude-sonnet-4-5', 'low');
    expect(thinking).toEqual({ type: 'enabled', budget_tokens: expect.any(Number) });
    expect(await sent('anthropic', 'claude-opus-4-6', 'high')).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
    expect(await sent('anthropic', 'claude-sonnet-4-5')).not.toHaveProperty('thinking');
  });

  test('Anthropic and Bedrock are not asked to think after calls that came without their thoughts', async () => {
    const behindCalls: ModelMessage[] = [
      { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', parts: [], toolCalls: [{ callId: 'c', name: 'read', args: {} }] },
      { role: 'tool', results: [{ callId: 'c', name: 'read', content: 'y', isError: false }] },
    ];
    expect(await sent('anthropic', 'claude-sonnet-4-5', 'high', behindCalls)).not.toHaveProperty('thinking');
    expect(await sent('bedrock', sonnet, 'high', behindCalls)).not.toHaveProperty('additionalModelRequestFields');
  });

  test('Gemini and Bedrock are sent a budget, and the others an effort', async () => {
    expect(await sent('gemini', 'gemini-2.5-flash', 'off')).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    });
    expect(await sent('bedrock', sonnet, 'low')).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'enabled' } },
    });
    expect(await sent('bedrock', opus, 'max')).toMatchObject({
      additionalModelRequestFields: { output_config: { effort: 'max' } },
    });
    expect(await sent('compatible', 'qwen3', 'medium')).toMatchObject({ reasoning_effort: 'medium' });
  });
});

describe('ollama', () => {
  async function asked(capabilities: readonly string[], family: string, thinking?: ThinkingMode) {
    const answer = { message: { role: 'assistant', content: 'ok' }, done: true, done_reason: 'stop' };
    await using server = await startFaultServer({
      '/api/chat': { steps: [`${JSON.stringify(answer)}\n`] },
      '/api/show': { type: 'application/json', steps: [JSON.stringify({ capabilities, details: { family } })] },
    });
    const provider = createOllamaProvider({ host: server.url });
    const modes = await provider.thinkingModes!('m');
    await collect(provider, requestOf('x', { model: 'm', thinking }));
    const { think } = server.requests.find(({ path }) => path === '/api/chat')!.body as { think?: unknown };
    return { modes, think };
  }

  test.each([
    ['qwen3', 'off', false],
    ['qwen3', 'high', true],
    ['gptoss', 'low', 'low'],
    ['gptoss', 'high', 'high'],
    ['qwen3', undefined, undefined],
  ] as const)('a model of the family %s with the effort %s is sent think: %j', async (family, mode, think) => {
    const modes = family === 'gptoss' ? ['low', 'medium', 'high'] : ['off', 'high'];
    expect(await asked(['completion', 'thinking'], family, mode)).toEqual({ modes, think });
  });

  test('a model without thinking has no modes', async () => {
    expect(await asked(['completion'], 'llama')).toEqual({ modes: [], think: undefined });
  });
});
