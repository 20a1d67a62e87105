// How answers end, for each wire and each word of its vendor: an ordinary end says nothing more, any other keeps the
// vendor's own word. Counts that a vendor leaves out stay unknown.
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { compatible } from '../../../lib/providers/compatible/vendor.ts';
import { createOllamaProvider } from '../../../lib/providers/ollama/index.ts';
import type { ProviderSignal } from '../../../lib/providers/provider.ts';
import { type Answer, type FaultServer, type Step, startFaultServer } from '../../support/fault-server.ts';
import * as a from '../anthropic/dialect.ts';
import * as b from '../bedrock/dialect.ts';
import * as c from '../compatible/dialect.ts';
import * as g from '../gemini/dialect.ts';
import * as o from '../openai/dialect.ts';
import { collect, failureOf, requestOf } from '../provider.contract.ts';
import type { Dialect } from '../vendor-scenes.ts';

const answers: Record<string, Answer> = {};
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer(answers);
});
afterAll(() => server[Symbol.asyncDispose]());

type Finish = readonly [reason: string, word?: string];
interface Wire {
  readonly answer: (end: readonly Step[]) => Promise<readonly ProviderSignal[]>;
  readonly ends: (word: string) => readonly Step[];
  /** The end with these counts in the vendor's names. */
  readonly counts: Readonly<Record<string, readonly [end: readonly Step[], usage: object | undefined]>>;
  readonly words: Readonly<Record<string, Finish>>;
}

function answered(dialect: Dialect): Wire['answer'] {
  return (end) => {
    const { type = 'text/event-stream', begin = '', says } = dialect;
    answers[dialect.answerPath] = { type, steps: [begin, says('Text.'), ...end] };
    return collect(createAiSdkProvider(dialect.vendor(server.url), { timeoutSeconds: 20 }), requestOf('x'));
  };
}

const ollamaLine = (value: object) => `${JSON.stringify(value)}\n`;
const ollamaEnd = (more: object) => ollamaLine({ message: { content: '' }, done: true, ...more });
const gemini = (finishReason: string, usageMetadata?: object) =>
  g.parts([], { finishReason, ...(usageMetadata && {}) });

const wires: Readonly<Record<string, Wire>> = {
  openai: {
    answer: answered(o.responsesDialect),
    ends: (reason) => [
      o.event({
        type: 'response.incomplete',
        response: { incomplete_details: { reason }, usage: { input_tokens: 1, output_tokens: 1 } },
      }),
    ],
    counts: { 'all of them': [[o.completed()], { inputTokens: 11, outputTokens: 7 }] },
    words: {
      max_output_tokens: ['length', 'max_output_tokens'],
      content_filter: ['content-filter', 'content_filter'],
      brand_new: ['other', 'brand_new'],
    },
  },
  anthropic: {
    answer: answered(a.messages),
    ends: (word) => [a.event({ type: 'content_block_stop', index: 0 }), a.stop(word)],
    counts: { 'all of them': [[a.stop('end_turn')], { inputTokens: 11, outputTokens: 7 }] },
    words: {
      end_turn: ['stop'],
      stop_sequence: ['stop'],
      max_tokens: ['length', 'max_tokens'],
      model_context_window_exceeded: ['length', 'model_context_window_exceeded'],
      pause_turn: ['other', 'pause_turn'],
      refusal: ['content-filter', 'refusal'],
      brand_new: ['other', 'brand_new'],
    },
  },
  gemini: {
    answer: answered(g.generateContent),
    ends: (word) => [gemini(word)],
    counts: { none: [[gemini('STOP')], undefined] },
    words: {
      STOP: ['stop'],
      MAX_TOKENS: ['length', 'MAX_TOKENS'],
      SAFETY: ['content-filter', 'SAFETY'],
      RECITATION: ['content-filter', 'RECITATION'],
      OTHER: ['other', 'OTHER'],
      BRAND_NEW: ['other', 'BRAND_NEW'],
    },
  },
  bedrock: {
    answer: answered(b.converse),
    ends: (word) => [b.blockStop(0), b.stop(word), b.metadata()],
    counts: {
      none: [[b.stop('end_turn')], undefined],
      'all of them': [[b.stop('end_turn'), b.metadata()], { inputTokens: 11, outputTokens: 7 }],
    },
    words: {
      end_turn: ['stop'],
      max_tokens: ['length', 'max_tokens'],
      model_context_window_exceeded: ['length', 'model_context_window_exceeded'],
      content_filtered: ['content-filter', 'content_filtered'],
      guardrail_intervened: ['content-filter', 'guardrail_intervened'],
      brand_new: ['other', 'brand_new'],
    },
  },
  compatible: {
    answer: answered(c.chat),
    ends: (word) => [c.end(word)],
    counts: {
      none: [[c.chunk({}, { finish_reason: 'stop' }), 'data: [DONE]\n\n'], undefined],
      'the output only': [[c.end('stop', { completion_tokens: 7 })], { outputTokens: 7 }],
    },
    words: {
      stop: ['stop'],
      end: ['stop'],
      EOS: ['stop'],
      length: ['length'],
      max_tokens: ['length'],
      content_filter: ['content-filter', 'content_filter'],
      brand_new: ['other', 'brand_new'],
    },
  },
  ollama: {
    answer: (end) => {
      const text = ollamaLine({ message: { content: 'Text.' }, done: false });
      answers['/api/chat'] = { type: 'application/x-ndjson', steps: [text, ...end] };
      return collect(createOllamaProvider({ host: server.url }), requestOf('x'));
    },
    ends: (done_reason) => [ollamaEnd({ done_reason })],
    counts: {
      none: [[ollamaEnd({ done_reason: 'stop' })], undefined],
      'the output only': [[ollamaEnd({ done_reason: 'stop', eval_count: 7 })], { outputTokens: 7 }],
      'the input only': [[ollamaEnd({ done_reason: 'stop', prompt_eval_count: 11 })], { inputTokens: 11 }],
    },
    words: { stop: ['stop'], length: ['length'], load: ['other', 'load'], unload: ['other', 'unload'] },
  },
};

const endings = Object.entries(wires).flatMap(([name, wire]) =>
  Object.entries(wire.words).map(([word, finish]) => [name, word, wire, finish] as const),
);

test.each(endings)(
  'an answer of %s that ends with %s keeps that word unless it is an ordinary end',
  async (_name, word, wire, [reason, kept]) => {
    const signals = await wire.answer(wire.ends(word));
    expect(signals.at(-1)).toEqual({ type: 'finish', reason, ...(kept !== undefined && { word: kept }) });
  },
);

const counts = Object.entries(wires).flatMap(([name, wire]) =>
  Object.entries(wire.counts).map(([which, [end, usage]]) => [name, which, wire, end, usage] as const),
);

test.each(counts)(
  'usage of %s with %s reported includes exactly those counts',
  async (_name, _which, wire, end, usage) => {
    const reported = (await wire.answer(end)).find((signal) => signal.type === 'usage')?.usage;
    const { inputTokens, outputTokens } = reported ?? {};
    const known = Object.fromEntries(Object.entries({ inputTokens, outputTokens }).filter(([, count]) => count));
    expect(known).toEqual(usage ?? {});
  },
);

test('the end of a stream without a finish reason is an end only if the setting says so', async () => {
  const steps = [c.chunk({ content: 'Text.' }), 'data: [DONE]\n\n'];
  answers[c.chat.answerPath] = { type: 'text/event-stream', steps };
  const ask = (endsWithDone: boolean) => {
    const vendor = compatible({ name: 'box', baseUrl: `${server.url}/v1`, setting: 's', endsWithDone });
    return collect(createAiSdkProvider(vendor, { timeoutSeconds: 20 }), requestOf('x'));
  };
  expect((await failureOf(ask(false))).message).toContain('cut off in the middle');
  expect((await ask(true)).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  answers[c.chat.answerPath] = { type: 'text/event-stream', steps: [c.chunk({ content: 'Text.' })] };
  expect((await failureOf(ask(true))).message).toContain('cut off in the middle');
});

describe('an error of Bedrock', () => {
  const refusedWith = async (answer: Answer) => {
    answers[b.converse.answerPath] = answer;
    const provider = createAiSdkProvider(b.converse.vendor(server.url), { timeoutSeconds: 20 });
    return failureOf(collect(provider, requestOf('x')));
  };

  test('may be repeated for modelStreamErrorException, and not for validationException', async () => {
    const type = b.converse.type!;
    const message = 'The model stumbled';
    const failing = (name: string) => refusedWith({ type, steps: [b.frame(name, { message }, 'exception')] });
    expect(await failing('modelStreamErrorException')).toMatchObject({
      message: expect.stringContaining(message),
      data: { retryable: true },
    });
    expect((await failing('validationException')).data).not.toHaveProperty('retryable');
  });

  test('about a model that needs an inference profile names that profile', async () => {
    const id = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
    const message = `Invocation of model ID ${id} with on-demand throughput isn’t supported. Retry with an inference profile.`;
    const { hint } = await refusedWith({ status: 400, type: 'application/json', steps: [JSON.stringify({ message })] });
    expect(hint).toContain(`eu.${id}`);
    expect(hint).toContain('/model');
  });
});

test('a model that needs more memory than the machine has is not asked again', async () => {
  const error = 'model requires more system memory (5.6 GiB) than is available (3.1 GiB)';
  answers['/api/chat'] = { status: 500, type: 'application/json', steps: [JSON.stringify({ error })] };
  const failure = await failureOf(collect(createOllamaProvider({ host: server.url }), requestOf('x')));
  expect(failure.message).toContain('requires more system memory');
  expect(failure.data).not.toHaveProperty('retryable');
});
