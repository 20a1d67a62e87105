// The events of a request of a model in the journal: counts of its text, and its usage.
import { usedTokens } from '../../../lib/projections/budget-report.ts';
import type { ProviderSignal } from '../../../lib/providers/provider.ts';
import { estimateTokens } from '../../../lib/tokens/estimate.ts';
import { fails, type Script } from '../../support/scripted-provider.ts';
import { toolWorld } from '../tool-world.ts';

async function* hides(reasoningTokens: number | undefined): AsyncGenerator<ProviderSignal> {
  yield { type: 'text', text: 'Hello world.' };
  yield {
    type: 'usage',
    usage: { inputTokens: 140, outputTokens: 9020, ...(reasoningTokens !== undefined && { reasoningTokens }) },
  };
  yield { type: 'finish', reason: 'stop' };
}

async function recorded(script: Script, text = 'Hi') {
  const world = await toolWorld({ script, tools: [], more: { retries: { attempts: 1 } } });
  const signals = await world.turn(text);
  const dataOf = async (type: string) => (await world.events()).findLast((event) => event.type === type)?.data;
  return { ...world, signals, message: await dataOf('message.added'), usage: await dataOf('usage.reported') };
}

describe('the tokens of an answer', () => {
  it('are those of its text if the provider counts hidden reasoning separately', async () => {
    const { message, session } = await recorded(() => hides(9000));
    expect(message).toMatchObject({ role: 'assistant', tokens: { count: 20, method: 'reported' } });
    expect(usedTokens(session.states.budget).count).toBe(160);
  });

  it('are counted here if the output may include reasoning', async () => {
    const { message } = await recorded(() => hides(undefined));
    expect(message).toMatchObject({ tokens: { count: estimateTokens('Hello world.'), method: 'estimated' } });
  });

  it('do not make the next request larger than its text', async () => {
    const world = await recorded(() => hides(9000));
    await world.turn('again');
    const estimates = (await world.events()).flatMap(({ type, data }) =>
      type === 'usage.reported' ? [Number(data.outputTokens)] : [],
    );
    expect(estimates).toEqual([9020, 9020]);
    expect(usedTokens(world.session.states.budget).count).toBe(160);
  });
});

it('the input tokens that were reported before an answer was cut off are kept', async () => {
  const { usage } = await recorded(async function* () {
    yield { type: 'input-usage', usage: { inputTokens: 148, cachedTokens: 40 } };
    yield { type: 'text', text: 'half' };
    yield* fails(new Error('cut'));
  });
  expect(usage).toMatchObject({ inputTokens: 148, cachedTokens: 40, source: 'estimate' });
});

describe('an incomplete answer', () => {
  const ends = (reason: 'length' | 'content-filter' | 'stop', text: string): Script =>
    async function* () {
      if (text !== '') yield { type: 'text', text };
      yield { type: 'finish', reason };
    };

  it.each([
    ['cut off at its limit', ends('length', 'half an'), 'length', /cut off/],
    ['filtered', ends('content-filter', 'half an'), 'content-filter', /filter of the provider/],
    ['empty', ends('stop', ''), 'empty', /answered with nothing/],
    ['white space', ends('stop', '\n\n'), 'empty', /answered with nothing/],
  ] as const)('is marked as incomplete: %s', async (_, script, incomplete, notice) => {
    const { signals, events } = await recorded(script);
    expect(signals.slice(-2)).toEqual([
      { type: 'notice', text: expect.stringMatching(notice) },
      { type: 'done', usage: expect.anything(), incomplete },
    ]);
    expect((await events()).at(-1)?.data).toMatchObject({ status: 'completed', incomplete });
  });

  it.each([
    [
      'length',
      'model_context_window_exceeded',
      /context window of the model is full \(model_context_window_exceeded\)/,
    ],
    ['content-filter', 'refusal', /The model refused to answer/],
    ['content-filter', 'SAFETY', /a filter of the provider stopped it \(SAFETY\)/],
    ['other', 'pause_turn', /ended it with “pause_turn”/],
    ['other', undefined, /for a reason of its own/],
  ] as const)("is reported with the vendor's word: %s, %s", async (reason, word, notice) => {
    const { signals, events } = await recorded(async function* () {
      yield { type: 'text', text: 'half an' };
      yield { type: 'finish', reason, word };
    });
    expect(signals.slice(-2)).toMatchObject([
      { type: 'notice', text: expect.stringMatching(notice) },
      { type: 'done', incomplete: reason },
    ]);
    expect((await events()).at(-1)?.data.ending).toBe(word);
  });

  it('is distinguished from a complete one', async () => {
    const { signals, events } = await recorded(ends('stop', 'All of it.'));
    expect(JSON.stringify(signals.at(-1))).not.toContain('incomplete');
    expect((await events()).at(-1)?.data).not.toHaveProperty('incomplete');
  });
});
