import { createRedactor } from '../../lib/environment/redact.ts';
import { lastLiveTurn } from '../../lib/session/last-turn.ts';
import type { TurnInput } from '../../lib/turn/run-turn.ts';
import { says } from '../support/scripted-provider.ts';
import { asksOnce, callsTools, toolWorld } from './tool-world.ts';

/** Hands over each list once, one for each time it is asked. */
function steerWith(...lists: readonly (readonly TurnInput[])[]) {
  const left = [...lists];
  let asked = 0;
  return {
    steer: async () => {
      asked += 1;
      return left.shift() ?? [];
    },
    asked: () => asked,
  };
}

describe('a steering message', () => {
  it('becomes a message of the running turn, at the end of the next request', async () => {
    const { steer } = steerWith([{ text: 'Use French' }, { text: 'and be short' }]);
    const { turn, events, provider } = await toolWorld({ script: asksOnce({}), more: { steer } });
    const signals = await turn('Say hi');
    expect(signals.filter(({ type }) => type === 'steered')).toEqual([
      { type: 'steered', text: 'Use French' },
      { type: 'steered', text: 'and be short' },
    ]);
    const stored = await events();
    expect(stored.filter(({ type, data }) => type === 'message.added' && data.role === 'user')).toMatchObject([
      { turn: 1, data: { parts: [{ type: 'text', text: 'Say hi' }] } },
      { turn: 1, data: { trusted: true, parts: [{ type: 'text', text: 'Use French' }] } },
      { turn: 1, data: { trusted: true, parts: [{ type: 'text', text: 'and be short' }] } },
    ]);
    expect(provider.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(JSON.stringify(provider.requests[1]?.messages.at(-1))).toMatch(/Use French.*and be short/);
    expect(stored.filter(({ type }) => type === 'turn.ended')).toHaveLength(1);
  });

  it('is not requested if the turn makes no further request', async () => {
    const { steer, asked } = steerWith([{ text: 'too late' }]);
    const { turn } = await toolWorld({ script: () => says('Done.'), more: { steer } });
    await turn('Say hi');
    expect(asked()).toBe(0);
  });

  it('allows the model as many requests as any message', async () => {
    const { steer } = steerWith([], [{ text: 'go on' }]);
    const script = (_request: unknown, _signal: unknown, round: number) =>
      round < 3 ? callsTools({ args: { text: `${round}` } }) : says('Done.');
    const stopped = await toolWorld({ script, more: { maxSteps: 2 } });
    expect((await stopped.turn('Say hi')).at(-1)?.type).toBe('error');
    const steered = await toolWorld({ script, more: { maxSteps: 3, steer } });
    expect((await steered.turn('Say hi')).at(-1)?.type).toBe('done');
  });

  it('is stored without secrets', async () => {
    const redactor = createRedactor({ secretValues: ['planted-secret-1234'] });
    const { steer } = steerWith([{ text: 'It is planted-secret-1234' }]);
    const { turn, events } = await toolWorld({ script: asksOnce({}), more: { steer, redactor } });
    await turn('Say hi');
    const stored = await events();
    expect(JSON.stringify(stored.map(({ data }) => data))).not.toContain('planted-secret');
    expect(stored.some(({ type }) => type === 'secret.redacted')).toBe(true);
  });

  it('is undone with its turn, which is repeated with its first message', async () => {
    const { steer } = steerWith([{ text: 'Use French' }]);
    const { turn, store, session } = await toolWorld({ script: asksOnce({}), more: { steer } });
    await turn('Say hi');
    const reader = await store.openReader(session.id);
    expect(await lastLiveTurn(reader)).toMatchObject({ turn: 1, parts: [{ type: 'text', text: 'Say hi' }] });
    await reader.close();
  });
});
