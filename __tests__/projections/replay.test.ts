import { isOllmError } from '../../lib/errors/index.ts';
import type { Damage, StoredEvent } from '../../lib/journal/types.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const EVENTS = stored([
  event.created(),
  event.said('user', 'one'),
  event.said('assistant', 'two'),
  { type: 'plugin.noted', data: {} },
  event.said('user', 'three'),
]);
const FOLDS = { session: sessionFold };
const textsAt = async (at?: { seq: number } | { time: string }, events: readonly (StoredEvent | Damage)[] = EVENTS) =>
  sessionJson((await replay(readerOf(events), FOLDS, { at })).states.session).messages.map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(),
  );
const damage: Damage = { kind: 'not-json', offset: 20, length: 10, line: 3, reason: 'no JSON', seq: 2 };

async function codeOf(action: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return isOllmError(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

describe('replay', () => {
  it('gives the state after the last event, and the position of its line', async () => {
    const { position, counts } = await replay(readerOf(EVENTS), FOLDS);
    expect(await textsAt()).toEqual(['one', 'two', 'three']);
    expect(position).toEqual({ seq: 4, offset: 50, xxh64: EVENTS[4]?.xxh64 });
    expect(counts).toEqual({ events: 5, damaged: 0, unknown: 1, invalid: 0, outOfOrder: 0 });
  });

  it('stops after the requested event', async () => {
    expect(await textsAt({ seq: 0 })).toEqual([]);
    expect(await textsAt({ seq: 3 })).toEqual(['one', 'two']);
    expect(await textsAt({ seq: 4 })).toEqual(['one', 'two', 'three']);
  });

  it('stops at the last event that is not later than a time, in any time zone', async () => {
    expect(await textsAt({ time: '2026-01-01T00:00:01.999Z' })).toEqual(['one']);
    expect(await textsAt({ time: '2026-01-01T01:00:02+01:00' })).toEqual(['one', 'two']);
    expect(await textsAt({ time: '2030-01-01' })).toEqual(['one', 'two', 'three']);
  });

  it.each([
    [{ seq: 5 }, 'SEQ_NOT_FOUND: Session listed has no event 5: its last one is 4.'],
    [{ seq: -1 }, 'SEQ_NOT_FOUND: Session listed has no event -1: its last one is -1.'],
    [{ seq: 1.5 }, 'SEQ_NOT_FOUND: Session listed has no event 1.5: its last one is 1.'],
    [{ time: '2025-12-31' }, 'SEQ_NOT_FOUND: Session listed begins after 2025-12-31.'],
    [{ time: 'yesterday' }, 'USAGE: “yesterday” is not a time.'],
  ])('refuses the missing event %j', async (at, message) => {
    expect(await codeOf(async () => await textsAt(at))).toBe(message);
  });

  it('counts damage, reports it and continues after it', async () => {
    const list = [...EVENTS.slice(0, 2), damage, ...EVENTS.slice(3)];
    const seen: Damage[] = [];
    const { counts } = await replay(readerOf(list), FOLDS, { onDamage: (found) => seen.push(found) });
    expect(await textsAt(undefined, list)).toEqual(['one', 'three']);
    expect(counts.damaged).toBe(1);
    expect(seen).toEqual([damage]);
    expect(await textsAt({ seq: 2 }, list)).toEqual(['one']);
  });

  it('skips data that does not match its type, and reports why', async () => {
    const broken = stored([
      event.created(),
      { type: 'message.added', data: { role: 'user' } },
      event.said('user', 'ok'),
    ]);
    const reasons: string[] = [];
    const { counts } = await replay(readerOf(broken), FOLDS, { onInvalid: (_, reason) => reasons.push(reason) });
    expect(await textsAt(undefined, broken)).toEqual(['ok']);
    expect(counts.invalid).toBe(1);
    expect(reasons).toEqual(['message.added: /parts is missing.']);
  });

  it('applies a repeated line once', async () => {
    const doubled = [...EVENTS.slice(0, 2), EVENTS[1]!, ...EVENTS.slice(2)];
    expect(await textsAt(undefined, doubled)).toEqual(['one', 'two', 'three']);
    expect((await replay(readerOf(doubled), FOLDS)).counts.outOfOrder).toBe(1);
  });

  it('does not parse data that no fold reads', async () => {
    const secretive = EVENTS.map((one) =>
      one.type === 'message.added'
        ? Object.defineProperty({ ...one }, 'data', {
            get() {
              throw new Error('parsed');
            },
          })
        : one,
    );
    const counting: Fold<{ messages: number }, 'session.created'> = {
      name: 'counting',
      version: 1,
      reads: ['session.created'],
      initial: () => ({ messages: 0 }),
      apply: (state) => state,
      see: (state, { type }) => ({ messages: state.messages + (type === 'message.added' ? 1 : 0) }),
    };
    expect((await replay(readerOf(secretive), { counting })).states.counting).toEqual({ messages: 3 });
  });

  it('drives several folds in one pass', async () => {
    const { states } = await replay(readerOf(EVENTS), { session: sessionFold, summary: summaryFold });
    expect(states.summary.messageCount).toBe(sessionJson(states.session).messages.length);
  });
});

describe('a long replay', () => {
  it('leaves time for other work', async () => {
    const long = stored([event.created(), ...Array.from({ length: 5000 }, () => event.said('user', 'x'))]).map(
      (one) => ({
        ...one,
        offset: one.offset * 100,
        end: one.end * 100,
      }),
    );
    let others = 0;
    const other = setInterval(() => {
      others += 1;
    }, 0);
    const replayed = await replay(readerOf(long), FOLDS);
    clearInterval(other);
    expect(replayed.counts.events).toBe(long.length);
    expect(others).toBeGreaterThan(0);
  });

  it('ends with the reason of its signal', async () => {
    const long = stored([event.created(), event.said('user', 'x')]).map((one) => ({ ...one, end: one.end * 1e6 }));
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    await expect(replay(readerOf(long), FOLDS, { signal })).rejects.toThrow('no longer wanted');
    await expect(replay(readerOf(EVENTS), FOLDS, { signal })).rejects.toThrow('no longer wanted');
  });
});
