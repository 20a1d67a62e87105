// Servers that write a wire in their own way: the table has each wire with each odd piece. An odd piece costs at most
// itself, a server's own words are always told, and no text of a validator gets out.
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createAiSdkProvider } from '../../../lib/providers/ai-sdk/provider.ts';
import { createOllamaProvider } from '../../../lib/providers/ollama/index.ts';
import type { Provider, ProviderSignal } from '../../../lib/providers/provider.ts';
import { type Answer, type FaultServer, type Step, startFaultServer } from '../../support/fault-server.ts';
import { toolWorld } from '../../turn/tool-world.ts';
import * as a from '../anthropic/dialect.ts';
import * as b from '../bedrock/dialect.ts';
import * as c from '../compatible/dialect.ts';
import * as g from '../gemini/dialect.ts';
import * as o from '../openai/dialect.ts';
import { collect, failureOf, requestOf, textOf } from '../provider.contract.ts';
import type { Dialect } from '../vendor-scenes.ts';

interface Wire {
  readonly type: string;
  readonly path: string;
  readonly provider: (url: string) => Provider;
  readonly begin: Step;
  readonly says: (text: string) => Step;
  readonly end: Step;
  /** Any value as a piece of its stream. */
  readonly piece: (value: unknown) => Step;
  /** Pieces that say nothing, or are not known. */
  readonly odd: readonly Step[];
  /** The pieces of a call whose arguments are an object. */
  readonly callsWithObject?: readonly Step[];
  /** An answer in one piece: the text `Whole.` and a call of `look` with `{"at":1}`. */
  readonly whole: unknown;
  /** A piece that is an answer of this wire, to be damaged. */
  readonly sample: object;
}

const sse = 'text/event-stream';
const cloud = (dialect: Dialect, more: Omit<Wire, 'type' | 'path' | 'provider' | 'begin' | 'says' | 'end'>): Wire => ({
  type: dialect.type ?? sse,
  path: dialect.answerPath,
  provider: (url) => createAiSdkProvider(dialect.vendor(url), { timeoutSeconds: 20 }),
  begin: dialect.begin ?? '',
  says: dialect.says,
  end: dialect.end,
  ...more,
});
const piece = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const bareFrame = (value: unknown) => {
  const [[type, payload] = ['somethingNew', value]] = Object.entries((value ?? {}) as object);
  return b.frame(type, payload);
};
const at = { at: 1 };
const NOTHING = [null, 7, 'words', [], {}] as const;

const wires: Readonly<Record<string, Wire>> = {
  openai: cloud(o.responsesDialect, {
    piece,
    odd: [
      ...NOTHING.map(piece),
      ': ping\n\n',
      'data: keep-alive\n\n',
      'event: brand.new\nid: 7\nretry: 10\n\n',
      piece({ type: 'response.brand_new.delta', delta: 'odd' }),
      piece({ type: 'response.output_text.annotation.added', annotation: { type: 'brand_new' } }),
      piece({ type: 'response.output_item.added', output_index: 5, item: { type: 'brand_new' } }),
      piece({ type: 'response.output_item.done', output_index: 5, item: { type: 'web_search_call', id: 7 } }),
      piece({ type: 'response.output_text.delta', output_index: 0 }),
      piece({ type: 'response.in_progress', response: null }),
    ],
    callsWithObject: [
      piece({
        type: 'response.output_item.added',
        output_index: 1,
        item: { type: 'function_call', id: 'f', call_id: 'c', name: 'look' },
      }),
      piece({
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'function_call', id: 'f', call_id: 'c', name: 'look', arguments: at },
      }),
    ],
    whole: {
      id: 'r',
      object: 'response',
      created_at: 1,
      model: 'test',
      status: 'completed',
      output: [
        { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Whole.' }] },
        { type: 'function_call', id: 'f', call_id: 'c', name: 'look', arguments: '{"at":1}', status: 'completed' },
      ],
      usage: { input_tokens: 3, output_tokens: 4 },
    },
    sample: { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'kept' },
  }),
  anthropic: cloud(a.messages, {
    piece,
    odd: [
      ...NOTHING.map(piece),
      ': ping\n\n',
      'data: keep-alive\n\n',
      'event: vertex_event\ndata: {"type":"vertex_event"}\n\n',
      a.event({ type: 'telemetry', foo: 1 }),
      a.block(5, { type: 'brand_new_block' }, { type: 'text_delta', text: 'odd' }, { type: 'brand_new_delta' }),
      a.event({ type: 'content_block_delta', index: 0, delta: { type: 'brand_new_delta', text: 'odd' } }),
      a.event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } }),
      a.block(6, { type: 'fallback', from: 'a', to: 'b' }),
      a.block(7, { type: 'web_search_tool_result', content: 'odd' }),
      a.event({ type: 'content_block_stop', index: 99 }),
    ],
    callsWithObject: [
      a.block(
        1,
        { type: 'tool_use', id: 'c', name: 'look', input: {} },
        { type: 'input_json_delta', partial_json: at },
      ),
    ],
    whole: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'brand_new' },
        { type: 'text', text: 'Whole.' },
        { type: 'tool_use', id: 'c', name: 'look', input: at },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4 },
    },
    sample: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'kept' } },
  }),
  gemini: cloud(g.generateContent, {
    piece,
    odd: [
      ...NOTHING.map(piece),
      ': ping\n\n',
      'data: keep-alive\n\n',
      piece({ candidates: null }),
      piece({ candidates: [null, { content: null }] }),
      g.parts([{ brandNew: { text: 'odd' } }, { functionCall: { args: at } }]),
      piece({ candidates: [{ content: { parts: [] }, safetyRatings: [{ category: 5 }], groundingMetadata: 'odd' }] }),
      piece({ usageMetadata: { promptTokenCount: 'many' } }),
      piece({ modelVersion: 7, responseId: 7, brandNew: true }),
    ],
    callsWithObject: [g.parts([{ functionCall: { name: 'look', args: '{"at":1}' } }])],
    whole: [
      { candidates: [{ content: { parts: [{ text: 'Whole.' }] }, index: 0 }] },
      {
        candidates: [{ content: { parts: [{ functionCall: { name: 'look', args: at } }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 },
      },
    ],
    sample: { candidates: [{ content: { role: 'model', parts: [{ text: 'kept' }] }, index: 0 }] },
  }),
  bedrock: cloud(b.converse, {
    piece: bareFrame,
    odd: [
      ...NOTHING.map((value) => b.frame('contentBlockDelta', value)),
      b.frame('brandNewEvent', { text: 'odd' }),
      Buffer.concat([
        b.frame('contentBlockStart', { contentBlockIndex: 5, start: { brandNew: {} } }),
        b.delta(5, { text: 'odd' }),
        b.blockStop(5),
      ]),
      b.delta(0, { brandNew: 'odd' }),
      b.delta(0, { reasoningContent: { brandNew: 'odd' } }),
      b.frame('metadata', { usage: { inputTokens: 'many' }, trace: 'odd', serviceTier: 7 }),
    ],
    callsWithObject: [
      b.frame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'c', name: 'look' } } }),
      b.delta(1, { toolUse: { input: at } }),
      b.blockStop(1),
    ],
    whole: {
      output: {
        message: {
          role: 'assistant',
          content: [{ brandNew: 1 }, { text: 'Whole.' }, { toolUse: { toolUseId: 'c', name: 'look', input: at } }],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    },
    sample: { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'kept' } } },
  }),
  compatible: cloud(c.chat, {
    piece,
    odd: [
      ...NOTHING.map(piece),
      ': ping\n\n',
      'data: keep-alive\n\n',
      piece({ id: 'c1', usage: { prompt_tokens: 100, completion_tokens: 20 } }),
      piece({ id: 7, created: 'now', model: null, choices: null }),
      piece({ choices: [null, {}] }),
      c.chunk({}, { delta: null }),
      c.chunk({ role: 'bot', content: 7, reasoning_content: {}, tool_calls: null }),
      c.chunk({ content: [{ type: 'brand_new' }, 'odd'] }),
      c.chunk({ tool_calls: [null, {}, { index: 0 }] }),
      piece({ choices: [], usage: { prompt_tokens: 'many', prompt_tokens_details: 'odd' } }),
      piece({ error: null, choices: [] }),
    ],
    callsWithObject: [
      c.chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'look', arguments: at } }] }),
    ],
    whole: {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Whole.',
            tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{"at":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    },
    sample: { id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'kept' } }] },
  }),
  ollama: {
    type: 'application/x-ndjson',
    path: '/api/chat',
    provider: (host) => createOllamaProvider({ host, timeoutSeconds: 20 }),
    begin: '',
    says: (content) => line({ message: { role: 'assistant', content }, done: false }),
    end: line({ message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7 }),
    piece: line,
    odd: [
      ...NOTHING.map(line),
      line({ brand_new: true, done: false }),
      line({ message: null, done: false }),
      line({ message: { role: 'assistant', content: null, tool_calls: null }, done: false }),
      line({ message: { content: '', tool_calls: [null, {}, { function: {} }] }, done: false }),
      '\n',
    ],
    callsWithObject: [line({ message: { content: '', tool_calls: [{ function: { name: 'look', arguments: at } }] } })],
    whole: {
      message: { role: 'assistant', content: 'Whole.', tool_calls: [{ function: { name: 'look', arguments: at } }] },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 3,
      eval_count: 4,
    },
    // Without `done`, since a true one in its place is an end.
    sample: { message: { role: 'assistant', content: 'kept' } },
  },
};

/** Words of a validator, or of a package. */
const DUMP = /"code"|invalid_|ZodError|AI_\w+|validation failed|\[object|unrecognized|discriminator/i;
const DUMP_OR_UNREACHABLE = new RegExp(`${DUMP.source}|does not answer at`, 'i');

/** A server for all scenes: each sets its answers. */
const answers: Record<string, Answer> = {};
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer(answers);
});
afterAll(() => server[Symbol.asyncDispose]());

function answerOf(wire: Wire, steps: readonly Step[], more: Omit<Answer, 'steps'> = {}): Promise<ProviderSignal[]> {
  answers[wire.path] = { type: wire.type, steps, ...more };
  return collect(wire.provider(server.url), requestOf('hello'));
}

async function wordsOf(wire: Wire, steps: readonly Step[], more: Omit<Answer, 'steps'> = {}): Promise<string> {
  const { message, hint } = await failureOf(answerOf(wire, steps, more));
  expect(`${message} ${hint}`).not.toMatch(DUMP);
  return `${message}\n${hint}`;
}

const callsIn = (signals: readonly ProviderSignal[]) =>
  signals.flatMap((signal) => (signal.type === 'tool-call' ? [[signal.call.name, signal.call.args]] : []));

describe.each(Object.entries(wires))('%s', (_name, wire) => {
  const { begin, says, end } = wire;

  test('skips empty and unknown pieces', async () => {
    for (const odd of wire.odd) {
      const signals = await answerOf(wire, [begin, says('Hello '), odd, says('there.'), end]);
      expect({ odd: String(odd), text: textOf(signals) }).toEqual({ odd: String(odd), text: 'Hello there.' });
      expect(signals.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    }
    const all = await answerOf(wire, [begin, ...wire.odd, says('Hello '), ...wire.odd, says('there.'), end]);
    expect(textOf(all)).toBe('Hello there.');
  });

  test('accepts the arguments of a call as an object too', async () => {
    const signals = await answerOf(wire, [begin, ...(wire.callsWithObject ?? []), end]);
    expect(callsIn(signals)).toEqual([['look', at]]);
    expect(signals.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  test('reads a whole answer that came instead of a stream, with any content type', async () => {
    for (const type of ['application/json', wire.type]) {
      const signals = await answerOf(wire, [JSON.stringify(wire.whole)], { type });
      expect(textOf(signals)).toBe('Whole.');
      expect(callsIn(signals)).toEqual([['look', at]]);
      expect(signals.find((signal) => signal.type === 'usage')).toMatchObject({
        usage: { inputTokens: 3, outputTokens: 4 },
      });
    }
  });

  test('reports the message of an error with status 200', async () => {
    const words = 'The upstream is out of seats';
    for (const error of [
      { error: { message: words, code: 418 } },
      { error: words },
      { detail: words },
      { message: words },
    ])
      for (const type of ['application/json', wire.type])
        expect(await wordsOf(wire, [JSON.stringify(error)], { type })).toContain(words);
  });

  test('reports the message of an error in the middle of an answer, as a text or an object', async () => {
    const words = 'error decoding response body';
    const pieces =
      wire.type === b.converse.type ? [] : [wire.piece({ error: words }), wire.piece({ error: { message: words } })];
    for (const error of [
      ...pieces,
      ...(pieces.length === 0 ? [b.frame('brandNewException', { message: words }, 'exception')] : []),
    ]) {
      const told = await wordsOf(wire, [begin, says('Part '), error]);
      expect(told).toContain(words);
      expect(told).not.toMatch(/baseUrl|OLLAMA_HOST/);
    }
  });

  test('identifies a page, other text and an empty answer', async () => {
    for (const type of ['text/html', 'text/plain', wire.type]) {
      const page = await wordsOf(wire, ['<!doctype html>\n<title>Log in</title>'], { type });
      expect(page).toMatch(/page of HTML|text\/html|text\/plain/);
      expect(page).not.toContain('is kept');
      expect(await wordsOf(wire, ['garbage in, garbage out\n'], { type })).not.toMatch(/is kept|like box/);
    }
    expect(await wordsOf(wire, [])).not.toContain('is kept');
  });

  test('reports an answer that breaks in the middle neither as a wrong address nor as empty', async () => {
    for (const broken of [
      Uint8Array.of(0xff, 0xfe, 0x0a, 0x0a),
      'data: {"half\n\n',
      '{"half\n',
      { fault: 'cut' },
      { fault: 'reset' },
    ] satisfies Step[]) {
      const told = await wordsOf(wire, [begin, says('Part of an answer.'), broken, says('more')]);
      expect(told).not.toMatch(/baseUrl|OLLAMA_HOST|\/v1 \(/);
    }
  });
});

test('no screen and no event gets the text of a validator, whatever a server sends', async () => {
  const messy = (wire: Wire): readonly (readonly Step[])[] => [
    [wire.begin, wire.says('Part.'), ...wire.odd, wire.end],
    [wire.begin, wire.says('Part.'), 'data: {"half\n\n'],
    [wire.piece({ error: { code: [{ code: 'x' }] } })],
    [wire.piece({ type: 'error', error: 7 })],
    ['[{"code":"invalid_union"}]'],
    ['<html>'],
  ];
  for (const wire of Object.values(wires))
    for (const steps of messy(wire)) {
      answers[wire.path] = { type: wire.type, steps };
      const world = await toolWorld({
        script: (request, signal) => wire.provider(server.url).stream({ ...request, model: 'test' }, { signal }),
        tools: [],
        more: { retries: { attempts: 1 } },
      });
      const signals = await world.turn('Hi');
      expect(signals.length).toBeGreaterThan(1);
      const told = [signals, await world.events()].map((each) => inspect(each, { depth: 12 })).join('\n');
      expect(told).not.toMatch(/invalid_|ZodError|validation failed|unrecognized|discriminator|\\"code\\": /i);
    }
});

test('an error that a server of chat completions puts into a choice is reported with its message', async () => {
  const { compatible } = wires;
  const error = { message: 'the provider upstream hung up', code: 502 };
  const told = await wordsOf(compatible!, [
    c.chunk({ content: 'Part' }),
    c.chunk({}, { error, finish_reason: 'error' }),
  ]);
  expect(told).toContain(error.message);
});

test('a piece with a damaged member costs at most itself: the rest of the answer comes, or a readable error', async () => {
  const damage = fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 }));
  const some = fc.constantFrom(...Object.values(wires));
  await fc.assert(
    fc.asyncProperty(some, fc.array(damage, { minLength: 1, maxLength: 3 }), async (wire, damages) => {
      const { begin, says, end } = wire;
      const damaged = damages.map(([place, value]) => wire.piece(withDamage(wire.sample, place, value)));
      const outcome = await answerOf(wire, [begin, says('First. '), ...damaged, says('Last.'), end]).catch(
        (error: unknown) => error as Error,
      );
      if (outcome instanceof Error) expect(outcome.message).not.toMatch(DUMP_OR_UNREACHABLE);
      else expect(textOf(outcome)).toMatch(/^First\. .*Last\.$/s);
    }),
    { numRuns: 200 },
  );
});

/** The value with one of its members, at any depth, replaced. */
function withDamage(value: unknown, place: number, by: unknown): unknown {
  const paths = pathsIn(value);
  const path = paths[place % paths.length]!;
  return replaced(value, path, by);
}

function pathsIn(value: unknown): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner).map((rest) => [name, ...rest]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === name ? replaced(each, rest, by) : each));
  return { ...(value as object), [name]: replaced((value as Record<string, unknown>)[name], rest, by) };
}
