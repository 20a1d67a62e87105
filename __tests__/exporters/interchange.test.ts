import fc from 'fast-check';
import { exportConversation } from '../../lib/app/sessions/read/export-session.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { cutText } from '../../lib/exporters/otel/contents.ts';
import { currentView } from '../../lib/projections/current-view.ts';
import { replay } from '../../lib/projections/replay.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';
import { brokenRulesOfAsf, brokenRulesOfAtif, brokenRulesOfOtel, contextOfAsf, spansOf } from './interchange-rules.ts';

type Format = 'otel' | 'atif' | 'asf';
type Events = Parameters<typeof stored>[0];

async function exported(format: Format, events: Events, more: { readonly contents?: boolean } = {}) {
  const { chunks, losses } = await exportConversation(readerOf(stored(events)), { format, ...more });
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return { text: Buffer.concat(pieces).toString(), losses: losses() };
}

const started = (turn: number, input = 'question'): NewOllmEvent => ({ type: 'turn.started', turn, data: { input } });
const ended = (turn: number, status: 'completed' | 'failed' = 'completed'): NewOllmEvent => ({
  type: 'turn.ended',
  turn,
  data: {
    status,
    steps: 1,
    durationMs: 1,
    ...(status === 'failed' && { error: { code: 'PROVIDER_FAILED', message: 'gone' } }),
  },
});
/** A turn with two answers: the first one calls a tool. */
const TURN: Events = [
  event.created({ sessionId: 'notes', model: 'claude-opus-5-5', provider: 'anthropic', cwd: '/home/ada' }),
  started(1),
  event.said('user', 'question'),
  event.said('assistant', 'I look.', { finish: 'tool-calls', model: 'claude-opus-5-5' }),
  event.used(100, 20, { cachedTokens: 60, totalCost: 0.5 }),
  event.asked('c1', 'read_file', { path: 'a.md' }),
  { type: 'tool.decided', data: { callId: 'c1', decision: 'allow', by: 'user' } },
  { type: 'tool.started', data: { callId: 'c1', sandbox: 'bwrap', envRemoved: [] } },
  event.finished('c1', 'the text of it'),
  event.said('assistant', 'It says nothing.', { finish: 'stop', model: 'claude-opus-5-5' }),
  ended(1),
];

describe.each([
  ['otel', brokenRulesOfOtel],
  ['atif', brokenRulesOfAtif],
  ['asf', brokenRulesOfAsf],
] as const)('any session as %s', (format, brokenRules) => {
  it('follows every rule of the format', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (events) => {
        expect(brokenRules((await exported(format, events)).text)).toEqual([]);
      }),
    );
  });

  it('is equal each time', async () => {
    const [one, other] = [await exported(format, TURN), await exported(format, TURN)];
    expect(one).toEqual(other);
  });
});

describe('a session as spans', () => {
  it('cuts a text between characters that are stored as two', () => {
    expect(cutText('ab👍', 3)).toBe('ab\uFFFD…');
    expect(cutText('ab👍', 4)).toBe('ab👍');
  });

  it('has a span for each of several calls under one id', async () => {
    const asked = ['c1', 'c2', 'c2', 'c1'].map((id) => event.asked(id, 'read_file', { path: 'a.md' }));
    const spans = spansOf((await exported('otel', [event.created(), started(1), ...asked, ended(1)])).text);
    expect(spans.filter(({ name }) => name === 'execute_tool read_file')).toHaveLength(4);
  });

  it('is a trace for each turn, with its requests and calls in it', async () => {
    const spans = spansOf((await exported('otel', TURN)).text);
    expect(spans.map(({ name }) => name)).toEqual([
      'chat claude-opus-5-5',
      'execute_tool read_file',
      'chat claude-opus-5-5',
      'invoke_agent ollm',
    ]);
    const seconds = spans.map(({ startTimeUnixNano, endTimeUnixNano }) =>
      [startTimeUnixNano, endTimeUnixNano].map((nanos) => Number(BigInt(nanos) / 1_000_000_000n) - 1767225600),
    );
    expect(seconds).toEqual([
      [2, 3],
      [7, 8],
      [8, 9],
      [1, 10],
    ]);
  });

  it("reports the provider's tokens at their request, and their sums at the turn", async () => {
    const spans = spansOf((await exported('otel', TURN)).text);
    const tokensOf = (index: number) =>
      Object.fromEntries(
        spans[index]!.attributes.filter(({ key }) => key.startsWith('gen_ai.usage')).map(({ key, value }) => [
          key,
          value.intValue,
        ]),
      );
    const all = {
      'gen_ai.usage.input_tokens': '100',
      'gen_ai.usage.output_tokens': '20',
      'gen_ai.usage.cache_read.input_tokens': '60',
    };
    expect([tokensOf(0), tokensOf(2), tokensOf(3)]).toEqual([all, {}, all]);
  });

  it('has no text of the conversation, unless contents are requested', async () => {
    const words = ['question', 'I look', 'It says nothing', 'a.md', 'the text of it'];
    const bare = (await exported('otel', TURN)).text;
    const whole = (await exported('otel', TURN, { contents: true })).text;
    expect(words.filter((word) => bare.includes(word))).toEqual([]);
    expect(words.filter((word) => !whole.includes(word))).toEqual([]);
  });

  it('reports that a turn failed, and how', async () => {
    const spans = spansOf((await exported('otel', [event.created(), started(1), ended(1, 'failed')])).text);
    expect(spans[0]!.status).toEqual({ code: 2, message: 'gone' });
    expect(spans[0]!.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'PROVIDER_FAILED' } });
  });

  it('has no span of a turn without times, and says so', async () => {
    const origin = { position: 0, length: 1 };
    const { text, losses } = await exported('otel', [
      event.created(),
      { type: 'turn.started', turn: 1, data: { input: 'x', origin } },
    ]);
    expect([text, losses]).toEqual(['', ['1 turn whose time is not known']]);
  });
});

describe('a session as a trajectory', () => {
  it('has a step for each message, with calls and their results in the step of the answer', async () => {
    const { steps, final_metrics } = JSON.parse((await exported('atif', TURN)).text);
    expect(steps.map(({ source, message }: { source: string; message: string }) => [source, message])).toEqual([
      ['user', 'question'],
      ['agent', 'I look.'],
      ['agent', 'It says nothing.'],
    ]);
    expect(steps[1]).toMatchObject({
      tool_calls: [{ tool_call_id: 'c1', function_name: 'read_file', arguments: { path: 'a.md' } }],
      observation: { results: [{ source_call_id: 'c1', content: 'the text of it' }] },
      metrics: { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 60, cost_usd: 0.5 },
    });
    expect(final_metrics).toEqual({
      total_prompt_tokens: 100,
      total_completion_tokens: 20,
      total_cached_tokens: 60,
      total_cost_usd: 0.5,
      total_steps: 3,
    });
  });

  it('leaves out undone messages, and reports their number', async () => {
    const undone: Events = [
      ...TURN,
      started(2),
      event.said('user', 'never mind'),
      ended(2),
      event.moved(TURN.length - 1),
    ];
    const { text, losses } = await exported('atif', undone);
    expect([text.includes('never mind'), losses]).toEqual([false, ['1 undone message']]);
  });
});

describe('a session in the Agent Session Format', () => {
  it('has the call, the decision of the user, the dispatch and the output as entries of their types', async () => {
    const { text } = await exported('asf', TURN);
    const entries = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(entries.map(({ type, verdict, phase }) => [type, verdict ?? phase].filter(Boolean).join(' '))).toEqual([
      'config',
      'env',
      'run start',
      'item',
      'item',
      'custom',
      'item',
      'response',
      'decision hold',
      'decision proceed',
      'dispatch',
      'item',
      'item',
      'response',
      'run end',
    ]);
  });

  it('produces by its own algorithm the messages that the model is sent, after any undo', async () => {
    const kinds = ['session.created', 'message.added', 'branch.moved', 'model.changed', 'session.titled'];
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (events) => {
        // An undo leaves a system prompt in place.
        const some = events
          .filter(({ type, data }) => kinds.includes(type) && (data as { role?: string }).role !== 'system')
          .map((one, seq) =>
            one.type === 'branch.moved' ? event.moved((one.data as { head: number }).head % seq) : one,
          );
        const { view } = (await replay(readerOf(stored(some)), { view: viewFold })).states;
        const sent = currentView(view).flatMap((item) => (item.kind === 'message' ? item.parts : []));
        const items = contextOfAsf((await exported('asf', some)).text);
        expect(items.flatMap(({ content }) => (content as { text: string }[]).map(({ text }) => text))).toEqual(
          sent.map((part) => (part.type === 'text' ? part.text : '')),
        );
      }),
    );
  });

  it('keeps the part of a compacted history that is still sent to the model', async () => {
    const events: Events = [
      event.created(),
      event.said('user', 'one'),
      event.said('assistant', 'two', {
        parts: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'two' },
        ],
      }),
      event.said('user', 'three'),
      event.compacted(0, 1, 'in short'),
      event.said('user', 'four'),
    ];
    const items = contextOfAsf((await exported('asf', events)).text);
    expect(items.map((item) => JSON.stringify(item).match(/in short|hm|one|two|three|four/)?.[0])).toEqual([
      'in short',
      'hm',
      'two',
      'three',
      'four',
    ]);
  });

  it('ends a turn according to the events on its path', async () => {
    const asked: Events = [
      event.created(),
      started(1),
      event.asked('c1'),
      { type: 'tool.started', data: { callId: 'c1', sandbox: 'none', envRemoved: [] } },
    ];
    const endOf = async (events: Events) =>
      JSON.parse((await exported('asf', events)).text.trimEnd().split('\n').at(-1)!);
    expect(await endOf([...asked, ended(1)])).toMatchObject({ reason: 'aborted', pending: ['c1'] });
    expect(await endOf([...asked, event.finished('c1', 'x'), ended(1)])).toMatchObject({
      reason: 'stopped',
      pending: [],
    });
    expect(await endOf(TURN)).toMatchObject({ reason: 'done', pending: [] });
    expect(await endOf([event.created(), started(1), ended(1, 'failed')])).toMatchObject({
      reason: 'error',
      ref: 'PROVIDER_FAILED',
    });
  });
});
