import { joinedSignals } from '../../../lib/host/sessions/joined-deltas.ts';
import type { TurnSignal } from '../../../lib/turn/signals.ts';
import { until } from '../../support/until.ts';

function joining() {
  const sent: (readonly [string, number])[] = [];
  const state = { stored: 0 };
  const joined = joinedSignals((_, signal, after) =>
    sent.push([
      signal.type === 'tool_output'
        ? `${signal.callId}:${signal.text}`
        : 'content' in signal
          ? `${signal.type}:${signal.content}`
          : signal.type,
      after,
    ]),
  );
  const take = (signal: TurnSignal, promptId = 'p') =>
    joined.take({ type: 'turn', promptId, signal, after: state.stored });
  return { joined, take, sent, state };
}

const delta = (content: string): TurnSignal => ({ type: 'delta', content });

describe('the pieces of an answer', () => {
  it('that come within a moment are one signal', async () => {
    const { take, sent } = joining();
    for (const piece of ['Roses ', 'are ', 'red']) take(delta(piece));
    expect(sent).toEqual([]);
    await until(() => sent.length > 0);
    expect(sent).toEqual([['delta:Roses are red', 0]]);
  });

  it('come after the event that was stored when the first of them arrived', () => {
    const { joined, take, sent, state } = joining();
    state.stored = 4;
    take(delta('Roses '));
    state.stored = 5;
    take(delta('are red'));
    joined.flush();
    take({ type: 'start', turn: 1 });
    expect(sent).toEqual([
      ['delta:Roses are red', 4],
      ['start', 5],
    ]);
  });

  it('keep their order among other signals, and are not joined with those', () => {
    const { take, sent } = joining();
    take({ type: 'reasoning', content: 'Hm' });
    take(delta('Roses'));
    take({ type: 'tool_output', callId: 'a', text: '1' });
    take({ type: 'tool_output', callId: 'a', text: '2' });
    take({ type: 'tool_output', callId: 'b', text: '3' });
    take({ type: 'done', usage: undefined });
    expect(sent.map(([what]) => what)).toEqual(['reasoning:Hm', 'delta:Roses', 'a:12', 'b:3', 'done']);
  });

  it('of two prompts are not joined', () => {
    const { joined, take, sent } = joining();
    take(delta('one'), 'p');
    take(delta('two'), 'q');
    joined.flush();
    expect(sent.map(([what]) => what)).toEqual(['delta:one', 'delta:two']);
  });
});
