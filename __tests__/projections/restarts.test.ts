// A replay spares a fold what it forgets anyway. What comes out is what a fold comes to that saw every event.
import fc from 'fast-check';
import type { Damage, JournalReader, StoredEvent } from '../../lib/journal/types.ts';
import { createLoopFold, loopFold } from '../../lib/projections/loop.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { type ReplayOptions, replay, replayInSlices } from '../../lib/projections/replay.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const FOLDS = { loop: createLoopFold({ maxTurns: 4, repeatThreshold: 2 }) };

const detected = (action: 'stop' | 'ask' | 'nudge') => ({
  type: 'loop.detected' as const,
  data: { pattern: 'repeated-tool' as const, details: '', count: 3, threshold: 3, action },
});
const call = (name: string, result = 'same') => [event.asked('c', name), event.finished('c', result)];

/** A session in which the guard has something to say, and in which some events are not what their type says. */
const session = fc
  .tuple(
    arbitrarySession({ maxLength: 20 }),
    fc.array(
      fc.oneof(
        fc.constantFrom('a', 'b').map((name) => call(name)),
        fc.constantFrom('stop', 'ask', 'nudge').map((action) => [detected(action as 'stop')]),
        fc.constantFrom('user', 'assistant').map((role) => [event.said(role as 'user', 'the same again')]),
        fc.constant([{ type: 'message.added', data: { role: 'user' } }]),
        fc.constant([{ type: 'loop.detected', data: { action: 'ask' } }]),
        fc.constant([{ type: 'tool.finished', data: { callId: 'c' } }]),
      ),
      { maxLength: 30 },
    ),
  )
  .map(([events, more]) => stored([...events, ...more.flat()] as Parameters<typeof stored>[0]));

/** Lines come twice here and there, and others cannot be read. */
const withWounds = fc
  .tuple(session, fc.array(fc.nat(), { maxLength: 3 }), fc.array(fc.nat(), { maxLength: 3 }))
  .map(([events, twice, lost]) => {
    const list: (StoredEvent | Damage)[] = [...events];
    for (const pick of twice) list.splice(pick % list.length, 0, events[(pick >> 3) % events.length]!);
    for (const pick of lost) {
      const index = 1 + (pick % list.length);
      const { seq = 0, offset = 0 } = (list[index] as StoredEvent | undefined) ?? {};
      if (index < list.length) list[index] = { kind: 'not-json', offset, length: 10, line: 1, reason: 'no JSON', seq };
    }
    // In the order in which a file has them.
    return list.map((one, place): StoredEvent | Damage =>
      'kind' in one ? { ...one, offset: place * 10 } : { ...one, offset: place * 10, end: place * 10 + 10 },
    );
  });

function followed(list: readonly (StoredEvent | Damage)[], upTo = Number.POSITIVE_INFINITY) {
  const replayer = createReplayer({ loop: FOLDS.loop, summary: summaryFold });
  for (const one of list) {
    if ('kind' in one) replayer.seeDamage(one);
    else if (one.seq > upTo) break;
    else replayer.see(one);
  }
  return replayer;
}

it('the state is that of a fold that saw every event, whatever was damaged, doubled or not valid', async () => {
  await fc.assert(
    fc.asyncProperty(withWounds, async (list) => {
      const expected = followed(list).states.loop;
      expect(replay(readerOf(list), FOLDS).states.loop).toEqual(expected);
      expect((await replayInSlices(readerOf(list), FOLDS)).states.loop).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

it('so it is at each place of the past, and where a replay goes on from a state', () => {
  fc.assert(
    fc.property(session, fc.nat(), fc.nat(), (events, one, other) => {
      const [first, second] = [one % events.length, other % events.length].sort((left, right) => left - right);
      const at = { seq: second! };
      const expected = followed(events, second).states.loop;
      expect(replay(readerOf(events), FOLDS, { at }).states.loop).toEqual(expected);
      const from = replay(readerOf(events), FOLDS, { at: { seq: first! } });
      const wentOn = replay(readerOf(events), FOLDS, { at, from });
      expect(wentOn.states.loop).toEqual(expected);
      expect(wentOn.anchor).toEqual(replay(readerOf(events), FOLDS, { at }).anchor);
    }),
    { numRuns: 200 },
  );
});

it('what is not valid is counted once, and told, whoever reads it', () => {
  const invalid = [
    { type: 'tool.finished', data: { callId: 'c' } },
    { type: 'message.added', data: { role: 'assistant' } },
  ];
  const events = stored([event.created(), event.said('user', 'go'), ...invalid, event.said('assistant', 'well')]);
  for (const folds of [FOLDS, { ...FOLDS, summary: summaryFold }]) {
    const told: string[] = [];
    const options: ReplayOptions<typeof FOLDS> = { onInvalid: ({ type }) => told.push(type) };
    expect(replay(readerOf(events), folds as typeof FOLDS, options).counts).toMatchObject({ events: 5, invalid: 2 });
    expect(told.sort()).toEqual(['message.added', 'tool.finished']);
  }
});

it('no call before the last message of the user is read', () => {
  const turns = Array.from({ length: 20 }, (_, index) => [event.said('user', `${index}`), ...call('a'), ...call('a')]);
  const read: number[] = [];
  const counting = <State, Type extends Fold<State>['reads'][number]>(fold: Fold<State, Type>): Fold<State, Type> => ({
    ...fold,
    apply(state, one) {
      read.push(one.seq);
      return fold.apply(state, one);
    },
  });
  const events = stored([event.created(), ...turns.flat()]);
  const { states } = replay(readerOf(events), { loop: counting(FOLDS.loop) });
  expect(states.loop.verdict).toMatchObject({ pattern: 'repeated-tool', count: 2 });
  expect(read).toEqual([97, 98, 99, 100]);
});

it('what is appended while it goes over the rest does not count', () => {
  const events = stored([event.created(), event.said('user', 'go'), ...call('a'), ...call('a'), ...call('a')]);
  const before = events.slice(0, 6);
  let readings = 0;
  const growing: JournalReader = {
    ...readerOf(events),
    cursor(options) {
      readings += 1;
      return readerOf(readings === 1 ? before : events).cursor(options);
    },
  };
  const { states, anchor } = replay(growing, { loop: loopFold });
  expect(readings).toBe(2);
  expect(anchor?.seq).toBe(5);
  expect(states.loop).toEqual(replay(readerOf(before), { loop: loopFold }).states.loop);
  expect(states.loop.recentCalls).toHaveLength(2);
});
