import { type CountRow, countsFold } from '../../lib/catalog/session-counts.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { replay } from '../../lib/projections/replay.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const MINUTE_MS = 60_000;
const NOON_MS = Date.UTC(2026, 0, 2, 12);

type Kind = CountRow['kind'];

/** The events, each at its minutes after noon. */
async function rowsOf(timed: readonly (readonly [minutes: number, event: NewOllmEvent])[]) {
  const events = timed.map(([minutes, { type, data }]) => ({
    type,
    data: { ...data, at: new Date(NOON_MS + minutes * MINUTE_MS).toISOString() },
  })) as NewOllmEvent[];
  const { states } = await replay(readerOf(stored(events)), { counts: countsFold({ clean: (text) => text }) });
  const rows = [...new Map(states.counts.rows.map((row) => [row.record, row])).values()];
  return (kind: Kind) => rows.filter((row) => row.kind === kind);
}

const began: NewOllmEvent = { type: 'turn.started', data: { input: 'Where is the mast?' } };
const ended = (more: object = {}): NewOllmEvent => ({
  type: 'turn.ended',
  data: { status: 'completed', steps: 1, ...more },
});
const decided = (callId: string, by: 'user' | 'policy'): NewOllmEvent => ({
  type: 'tool.decided',
  data: { callId, decision: 'allow', by },
});
/** As a session of another program has it. */
const from = ({ type, data }: NewOllmEvent) =>
  ({ type, data: { ...data, origin: { position: 1, length: 1 } } }) as NewOllmEvent;

describe('the counts of a session', () => {
  it('include each request once, with its last report', async () => {
    const rows = await rowsOf([
      [0, event.created()],
      [1, event.used(10, 1, { message: 'a', totalCost: 0.5 })],
      [2, event.used(10, 7, { message: 'a' })],
      [3, event.used(20, 2, { message: 'b' })],
    ]);
    expect(rows('request')).toMatchObject([
      { inputTokens: 10, outputTokens: 7, cost: 0.5, at: NOON_MS + MINUTE_MS },
      { inputTokens: 20, outputTokens: 2, cost: undefined },
    ]);
  });

  it('leave out an answer of the built-in search, which asks no model', async () => {
    const rows = await rowsOf([
      [0, event.created()],
      [1, began],
      [2, event.used(10, 1, { message: 'a', provider: 'offline' })],
      [3, event.used(20, 2, { message: 'b' })],
      [4, ended()],
    ]);
    expect([rows('request').map(({ inputTokens }) => inputTokens), rows('turn').length]).toEqual([[20], 1]);
  });

  it('include no tokens of a request that were only estimated', async () => {
    const rows = await rowsOf([
      [0, event.created()],
      [1, event.used(10, 1, { message: 'a', source: 'estimate' })],
      [2, event.used(20, 2, { message: 'b' })],
    ]);
    expect(rows('request').map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])).toEqual([
      [undefined, undefined],
      [20, 2],
    ]);
  });

  it('measure a turn from the prompt to the last event, if nothing states its duration', async () => {
    const rows = await rowsOf([
      [0, event.created()],
      [1, began],
      [1, event.said('user', 'Where is the mast?')],
      [3, event.said('assistant', 'On deck.')],
      [500, ended()],
      [501, { type: 'turn.started', data: { input: 'And the sail?' } }],
      [502, ended({ durationMs: 1234, status: 'failed' })],
    ]);
    expect(rows('turn')).toMatchObject([
      { tookMs: 2 * MINUTE_MS, pausedMs: undefined, failed: false },
      { tookMs: 1234, failed: true },
    ]);
  });

  it('include the pause before a prompt, unless it is longer than an hour', async () => {
    const next = (input: string): NewOllmEvent => ({ type: 'turn.started', data: { input } });
    const rows = await rowsOf([
      [0, event.created()],
      [1, began],
      [2, event.said('assistant', 'On deck.')],
      [2, ended()],
      [12, next('And the sail?')],
      [13, event.said('assistant', 'Below.')],
      [13, ended()],
      [80, next('And now?')],
      [81, ended()],
    ]);
    expect(rows('turn').map(({ pausedMs }) => pausedMs)).toEqual([undefined, 10 * MINUTE_MS, undefined]);
  });

  it('exclude the time that a decision of the user took, once if two calls wait', async () => {
    const rows = await rowsOf([
      [0, event.created()],
      [1, began],
      [2, event.asked('call_1', 'bash')],
      [2, event.asked('call_2', 'bash')],
      [5, decided('call_1', 'user')],
      [6, decided('call_2', 'user')],
      [6, event.finished('call_1', 'x', { durationMs: 10 })],
      [7, event.finished('call_2', 'x', { status: 'error', durationMs: undefined })],
      [8, ended({ durationMs: 7 * MINUTE_MS })],
    ]);
    expect(rows('turn')).toMatchObject([{ tookMs: 3 * MINUTE_MS, pausedMs: 4 * MINUTE_MS }]);
    expect(rows('call')).toMatchObject([
      { tool: 'bash', tookMs: 10, failed: false },
      { tool: 'bash', tookMs: 5 * MINUTE_MS, failed: true },
    ]);
  });

  it('include a turn for each message of the user in a session without events for turns', async () => {
    const rows = await rowsOf([
      [0, event.created()],
      [1, event.said('user', 'One')],
      [2, event.said('assistant', 'Two')],
      [9, event.said('user', 'Three')],
      [9, event.said('user', 'made by a program', { synthetic: true })],
      [10, event.said('assistant', 'Four')],
      [11, event.said('user', 'Five')],
    ]);
    expect(rows('turn')).toMatchObject([
      { tookMs: MINUTE_MS },
      { tookMs: MINUTE_MS, pausedMs: 7 * MINUTE_MS },
      { pausedMs: MINUTE_MS },
    ]);
  });

  it('exclude events that a foreign program copied into a fork, which has no usage there', async () => {
    const origin = { agent: 'codex', path: '/x', sessionId: 'x' };
    const rows = await rowsOf([
      [0, event.created({ origin: { ...origin, parent: 'codex:y' } })],
      [0, from(began)],
      [0, from(event.asked('call_1'))],
      [0, from(event.finished('call_1'))],
      [0, from(ended())],
      [1, from({ type: 'turn.started', data: { input: 'Mine' } })],
      [2, from(event.asked('call_2', 'own'))],
      [3, from(event.used(10, 1))],
      [4, from(ended())],
    ]);
    expect(rows('turn')).toHaveLength(1);
    expect(rows('call')).toMatchObject([{ tool: 'own' }]);
    expect(rows('request')).toHaveLength(1);
  });

  it('give equal numbers to a copy, and to nothing else', async () => {
    const turn = (minutes: number, callId: string, message: string) =>
      [
        [minutes, began],
        [minutes + 1, event.asked(callId)],
        [minutes + 2, event.used(10, 1, { message })],
        [minutes + 3, ended()],
      ] as const;
    const numbers = async (id: string, turns: ReturnType<typeof turn>) => {
      const rows = await rowsOf([[0, event.created({ sessionId: id })], ...turns]);
      return (['turn', 'call', 'request'] as const).flatMap((kind) => rows(kind).map(({ record }) => record));
    };
    const one = await numbers('one', turn(1, 'call_1', 'answer-1'));
    expect(await numbers('two', turn(1, 'call_1', 'answer-1'))).toEqual(one);
    const later = await numbers('three', turn(2, 'call_1', 'answer-1'));
    expect(later.some((number) => one.includes(number))).toBe(false);
    // An id with a random part is of one thing, also where the copy was given another time.
    const [toolu, msg] = ['toolu_01A09q90qw90lq917835lq9', 'msg_01XFDUDYJgAACzvnptvVoYEL'];
    const random = await numbers('one', turn(1, toolu, msg));
    expect((await numbers('two', turn(9, toolu, msg))).slice(1)).toEqual(random.slice(1));
  });
});
