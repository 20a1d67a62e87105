import type { SentEvent } from '../../../lib/page/api/types.ts';
import { blocksOf, type ShownBlock } from '../../../lib/page/model/blocks.ts';

let seq = 0;
const event = (type: string, data: object, turn?: number): SentEvent =>
  ({ seq: seq++, ts: '2026-11-23T10:00:00.000Z', type, data, ...(turn === undefined ? {} : { turn }) }) as SentEvent;
const said = (role: string, text: string, more: object = {}) =>
  event('message.added', { role, parts: [{ type: 'text', text }], trusted: true, ...more });
const kinds = (blocks: readonly ShownBlock[]) => blocks.map(({ kind }) => kind);

beforeEach(() => {
  seq = 0;
});

describe('the blocks of a conversation', () => {
  it('are turns, prompts and replies, while injected texts are not prompts', () => {
    const blocks = blocksOf([
      event('session.created', {}),
      event('turn.started', {}, 1),
      said('user', 'why?'),
      said('user', 'reminder', { synthetic: true }),
      said('assistant', 'because'),
      event('usage.reported', { inputTokens: 3, outputTokens: 1, totalCost: 0.5, model: 'm', source: 'provider' }),
      event('turn.ended', { status: 'completed', steps: 1, durationMs: 900 }, 1),
    ]);
    expect(kinds(blocks)).toEqual(['turn', 'prompt', 'added', 'reply', 'end']);
    expect(blocks[4]).toMatchObject({ answer: [{ text: 'because' }], hasBegun: true });
    expect(blocks[0]).toMatchObject({ turn: 1, requests: 1, cost: 0.5, end: { durationMs: 900 } });
  });

  it('include no pieces of an answer, because the streaming text is a signal, and then a message', () => {
    const parts = [{ type: 'text', text: 'because' }];
    const events = [event('turn.started', {}, 1), said('user', 'why?'), event('message.streamed', { parts }, 1)];
    expect(kinds(blocksOf(events))).toEqual(['turn', 'prompt']);
    expect(kinds(blocksOf([...events, said('assistant', 'because')]))).toEqual(['turn', 'prompt', 'reply']);
  });

  it('join a call with its decision, its start and its end, and group consecutive calls', () => {
    const blocks = blocksOf([
      event('tool.requested', { callId: 'a', name: 'bash', args: { command: 'ls' } }),
      event('tool.requested', { callId: 'b', name: 'read', args: {} }),
      event('tool.decided', { callId: 'a', decision: 'allow', by: 'user' }),
      event('tool.decided', { callId: 'b', decision: 'deny', by: 'policy', rule: 'default' }),
      event('tool.started', { callId: 'a', sandbox: 'none', envRemoved: [] }),
      event('tool.finished', { callId: 'a', status: 'error', result: { llmContent: 'exit code 1' }, trusted: false }),
    ]);
    expect(kinds(blocks)).toEqual(['calls']);
    const calls = blocks[0]!.kind === 'calls' ? blocks[0]!.calls : [];
    expect(calls.map(({ callId, state }) => [callId, state])).toEqual([
      ['a', 'failed'],
      ['b', 'declined'],
    ]);
  });

  it('show an end whose request is not loaded', () => {
    const [block] = blocksOf([
      event('tool.finished', { callId: 'x', status: 'ok', result: { llmContent: '' }, trusted: false }),
    ]);
    expect(block).toMatchObject({ kind: 'calls', calls: [{ name: '', state: 'ok' }] });
  });

  it('fold undone events into one, and show damage in its place', () => {
    const blocks = blocksOf(
      [said('user', 'one'), said('user', 'two'), said('assistant', 'three'), said('user', 'four')],
      {
        undone: [{ from: 1, to: 2 }],
        damage: [{ after: 2, kind: 'torn-tail', offset: 9, length: 20, reason: 'cut' }],
      },
    );
    expect(kinds(blocks)).toEqual(['prompt', 'undone', 'damage', 'prompt']);
    expect(blocks[1]).toMatchObject({ seq: 1, to: 2, blocks: [{ kind: 'prompt' }, { kind: 'reply' }] });
  });

  it('show a setting from an undone turn as one that holds, and the rest of the turn as undone', () => {
    const events = [
      said('user', 'two'),
      event('model.changed', { provider: 'p', model: 'm' }),
      said('assistant', 'three'),
      said('user', 'four'),
    ];
    const blocks = blocksOf(events, { undone: [{ from: 0, to: 2 }] });
    expect(kinds(blocks)).toEqual(['undone', 'fact', 'undone', 'prompt']);
    // Both lead back to the end of the turn.
    expect(blocks[0]).toMatchObject({ seq: 0, last: 0, to: 2 });
    expect(blocks[2]).toMatchObject({ seq: 2, last: 2, to: 2 });
  });

  it('show the result of a call from before an undone stretch with that call', () => {
    const events = [
      event('tool.requested', { callId: 'a', name: 'read', args: {} }),
      event('tool.finished', { callId: 'a', status: 'ok', result: { llmContent: 'x' }, trusted: false }),
    ];
    const blocks = blocksOf(events, { undone: [{ from: 1, to: 1 }] });
    expect(blocks).toMatchObject([{ kind: 'calls', calls: [{ name: 'read', state: 'ok' }] }]);
  });

  it('have the time of storing if the original time cannot be read', () => {
    expect(blocksOf([said('user', 'one', { at: 'yesterday' })])[0]!.ts).toBe('2026-11-23T10:00:00.000Z');
    expect(blocksOf([said('user', 'one', { at: '2024-01-15T10:30:00Z' })])[0]!.ts).toBe('2024-01-15T10:30:00Z');
  });

  it('show that a prompt did not run, and why', () => {
    const errors = [{ promptId: 'p', code: 'POLICY_DENIED', message: 'The file is outside.' }];
    const blocks = blocksOf([
      event('queue.changed', { removed: ['p'], errors }),
      event('queue.changed', { removed: ['q'] }),
    ]);
    expect(blocks).toMatchObject([{ kind: 'fact', tone: 'danger', text: 'Not asked: The file is outside.' }]);
  });
});
