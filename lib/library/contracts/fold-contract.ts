// The laws of a fold: its state follows from the events only, and can be saved and continued at any place.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { isEventType } from '../../events/catalogue.ts';
import type { NewEvent, SessionEvent } from '../../journal/types.ts';
import type { Fold } from '../../projections/projection.ts';
import { createReplayer } from '../../projections/replayer.ts';
import type { ContractCase } from './case.ts';

const TOKENS = { count: 7, method: 'estimated' } as const;
const text = (value: string) => [{ type: 'text', text: value }];
/** A conversation with an answer, a call, an undo and a type that no catalogue has. */
const SAMPLE: readonly NewEvent[] = [
  { type: 'session.created', data: { provider: 'p', model: 'm', ollm: '1.0.0', sessionId: 's', format: 1 } },
  { type: 'message.added', data: { role: 'system', parts: text('Be terse.'), tokens: TOKENS, trusted: true } },
  { type: 'turn.started', data: {}, turn: 1 },
  { type: 'message.added', data: { role: 'user', parts: text('When?'), tokens: TOKENS, trusted: true }, turn: 1 },
  { type: 'tool.requested', data: { callId: 'c', name: 'look', args: {}, tokens: TOKENS }, turn: 1 },
  { type: 'garden.watered', data: { litres: 3 }, ignorable: true },
  {
    type: 'tool.finished',
    data: { callId: 'c', status: 'ok', result: { llmContent: 'frost' }, tokens: TOKENS, trusted: false },
    turn: 1,
  },
  {
    type: 'message.added',
    data: { role: 'assistant', parts: text('In May.'), tokens: TOKENS, trusted: false },
    turn: 1,
  },
  { type: 'turn.ended', data: { outcome: 'done' }, turn: 1 },
  { type: 'message.added', data: { role: 'user', parts: text('Forget it.'), tokens: TOKENS, trusted: true } },
  { type: 'branch.moved', data: { head: 8, reason: 'undo' } },
  { type: 'session.titled', data: { title: 'Garden' } },
];

/**
 * The laws of a fold, over a sample conversation and over events of your own, which follow it.
 *
 * @example
 * const own = [{ type: 'garden.watered', data: { litres: 3 } }];
 * for (const { name, run } of foldContract(waterFold, own)) test(name, run);
 */
export function foldContract(
  // biome-ignore lint/suspicious/noExplicitAny: folds of any state
  fold: Fold<any, any, any>,
  events: readonly NewEvent[] = [],
): ContractCase[] {
  const stored = [...SAMPLE, ...events].map((event, seq): SessionEvent => {
    const ts = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
    return deepFrozen({ ...event, data: { ...event.data }, seq, ts, position: seq });
  });
  const after = (some: readonly SessionEvent[], state?: unknown): unknown => {
    const from =
      state === undefined
        ? undefined
        : { states: { it: state }, lastSeq: -1, position: undefined, format: 1, counts: NO_COUNTS };
    const replayer = createReplayer({ it: fold }, { from });
    for (const event of some) replayer.see(event);
    return replayer.states.it;
  };
  return Object.entries({
    'A fold gives the same state for the same events, and changes none of them': () => {
      deepEqual(plain(after(stored)), plain(after(stored)));
    },
    'A fold begins with a state of its own each time': () => {
      const before = plain(fold.initial());
      after(stored);
      deepEqual(plain(fold.initial()), before);
    },
    'A state is plain JSON, and continues after any event as if it had never been saved': () => {
      const whole = plain(after(stored));
      for (let at = 0; at <= stored.length; at += 1)
        deepEqual(plain(after(stored.slice(at), plain(after(stored.slice(0, at))))), whole, `saved after ${at} events`);
    },
    'A fold leaves a state as it is at events of types that it does not read': () => {
      if (fold.see !== undefined) return;
      const read = stored.filter(({ type }) => fold.reads.includes(type));
      deepEqual(plain(after(read)), plain(after(stored)));
    },
    'A fold has a name, a version, and each type that it reads once': () => {
      ok(fold.name !== '' && Number.isInteger(fold.version));
      equal(new Set(fold.reads).size, fold.reads.length);
      const own = new Set(events.map(({ type }) => type));
      for (const type of fold.reads) ok(isEventType(type) || own.has(type), `no event of the type ${type} is at hand`);
    },
  }).map(([name, check]) => ({ name, run: async () => check() }));
}

const NO_COUNTS = { events: 0, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0 };

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
