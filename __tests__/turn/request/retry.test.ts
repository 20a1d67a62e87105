import { OllmError } from '../../../lib/errors/index.ts';
import type { RetrySettings } from '../../../lib/turn/request/retry.ts';
import { fails, type Script, says } from '../../support/scripted-provider.ts';
import { callsTools, toolWorld } from '../tool-world.ts';

const busy = (retryAfterMs?: number) =>
  new OllmError('PROVIDER_FAILED', 'Too many requests.', {
    data: { retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
  });
const FAST: RetrySettings = { baseDelayMs: 1, random: () => 0.5 };

async function asked(script: Script, retries: RetrySettings = FAST) {
  const world = await toolWorld({ script, more: { retries } });
  const signals = await world.turn('Hi');
  return { ...world, signals, types: signals.map(({ type }) => type) };
}

describe('a failed request', () => {
  it('is repeated, and each attempt is announced beforehand', async () => {
    const { types, signals, provider, events } = await asked((_request, _signal, round) =>
      round < 3 ? fails(busy()) : says('Here.'),
    );
    expect(types).toEqual(['start', 'retry', 'retry', 'retry', 'delta', 'done']);
    expect(signals.filter(({ type }) => type === 'retry')).toEqual([
      { type: 'retry', attempt: 2, attempts: 4, delayMs: 1, reason: 'Too many requests.' },
      { type: 'retry', attempt: 3, attempts: 4, delayMs: 2, reason: 'Too many requests.' },
      { type: 'retry', attempt: 4, attempts: 4, delayMs: 4, reason: 'Too many requests.' },
    ]);
    expect(provider.requests).toHaveLength(4);
    expect(new Set(provider.requests.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
    expect((await events()).filter(({ type }) => type === 'usage.reported')).toHaveLength(1);
    expect((await events()).at(-1)?.data).toMatchObject({ status: 'completed', retries: 3 });
  });

  it('is given up after four tries', async () => {
    const { signals, provider } = await asked(() => fails(busy()));
    expect(provider.requests).toHaveLength(4);
    expect(signals.at(-1)).toMatchObject({ type: 'error', error: { code: 'PROVIDER_FAILED' } });
  });

  it('waits for the time that the provider names, up to a limit', async () => {
    const once =
      (retryAfterMs: number): Script =>
      (_request, _signal, round) =>
        round === 0 ? fails(busy(retryAfterMs)) : says('Here.');
    const { signals } = await asked(once(30));
    expect(signals[1]).toMatchObject({ type: 'retry', delayMs: 30 });
    const { types, provider } = await asked(once(3_600_000), { ...FAST, maxDelayMs: 60_000 });
    expect(types).toEqual(['start', 'error']);
    expect(provider.requests).toHaveLength(1);
  });

  it('is stored with the wait that the provider named', async () => {
    const { events } = await asked(() => fails(busy(120_000)));
    const { error, retries } = (await events()).at(-1)?.data ?? {};
    expect({ error, retries }).toMatchObject({ error: { code: 'PROVIDER_FAILED', retryAfterMs: 120_000 } });
    expect(retries).toBeUndefined();
  });

  it('is not repeated if that does not help', async () => {
    const { types } = await asked(() => fails(new OllmError('MODEL_NOT_FOUND', 'No such model.')));
    expect(types).toEqual(['start', 'error']);
  });

  it.each<[string, Script]>([
    [
      'text',
      async function* () {
        yield { type: 'text', text: 'Half an ' };
        throw busy();
      },
    ],
    [
      'reasoning',
      async function* () {
        yield { type: 'reasoning', text: 'Hm' };
        throw busy();
      },
    ],
    [
      'a call',
      async function* () {
        yield { type: 'tool-call', call: { callId: 'c1', name: 'echo', args: {} } };
        throw busy();
      },
    ],
  ])('after %s was shown is not repeated, so that nothing is shown twice', async (_, script) => {
    const { types, provider } = await asked(script);
    expect(provider.requests).toHaveLength(1);
    expect(types.at(-1)).toBe('error');
  });

  it('adds nothing of its partial answer to the next attempt', async () => {
    const { events } = await asked(async function* (_request, _signal, round) {
      if (round === 0) {
        yield { type: 'usage', usage: { inputTokens: 999, outputTokens: 0 } };
        yield { type: 'reasoning', opaque: 'lost' };
        throw busy();
      }
      yield { type: 'text', text: 'Here.' };
      yield { type: 'finish', reason: 'stop' };
    });
    expect(JSON.stringify((await events()).map(({ data }) => data))).not.toContain('lost');
    expect((await events()).find(({ type }) => type === 'usage.reported')?.data).toMatchObject({ source: 'estimate' });
  });

  it('stops waiting when the turn is cancelled', async () => {
    const cancel = new AbortController();
    const world = await toolWorld({ script: () => fails(busy(50_000)) });
    const turn = world.turn('Hi', { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 20);
    expect((await turn).at(-1)).toEqual({ type: 'cancelled' });
    expect(world.provider.requests).toHaveLength(1);
  });

  it('in the middle of a turn is repeated too, with the existing results', async () => {
    const { types, provider } = await asked((_request, _signal, round) =>
      round === 0 ? callsTools({}) : round === 1 ? fails(busy()) : says('Done.'),
    );
    expect(types.slice(-3)).toEqual(['retry', 'delta', 'done']);
    expect(provider.requests[2]?.messages).toEqual(provider.requests[1]?.messages);
  });
});
