// Random sessions for laws: any mix of turns, calls in any order, context, compactions, undos and moves, all of them
// events that the journal would accept. Shrinks well: an event does not depend on the random numbers of another.
import fc from 'fast-check';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { NewEvent } from '../../lib/journal/types.ts';
import { anyCharacter } from './any-character.ts';
import { event } from './event-list.ts';

const KINDS = [
  ...Array<'user'>(5).fill('user'),
  ...Array<'assistant'>(5).fill('assistant'),
  ...Array<'asked'>(5).fill('asked'),
  ...Array<'finished'>(5).fill('finished'),
  'listed',
  'system',
  'found',
  'used',
  'context',
  'context-removed',
  'context-cleared',
  'moved',
  'moved',
  'compacted',
  'compacted',
  'replaced',
  'uncompacted',
  'model',
  'titled',
  'foreign',
  'turn-started',
  'turn-ended',
] as const;

export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly pick: number;
  readonly text: string;
  readonly trusted: boolean;
}

export const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.nat({ max: 1000 }),
  text: fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constant('<<<end 000000000000>>>'),
    fc.string({ unit: anyCharacter }),
  ),
  trusted: fc.boolean(),
});

/** A whole session, first line included. */
export function arbitrarySession({ maxLength = 40 } = {}): fc.Arbitrary<(NewOllmEvent | NewEvent)[]> {
  return fc
    .tuple(fc.boolean(), fc.array(arbitraryStep, { maxLength, size: 'max' }))
    .map(([hasPrompt, steps]) => [
      event.created({ contextWindow: 4000 }),
      ...(hasPrompt ? [event.said('system', 'You are terse.')] : []),
      ...steps.map((step, index) => eventOf(step, index + (hasPrompt ? 2 : 1))),
    ]);
}

/** The event that a step represents at this place of a journal. */
export function eventOf({ kind, pick, text, trusted }: Step, seq: number): NewOllmEvent | NewEvent {
  const earlier = pick % seq;
  const callId = `call-${pick % 3}`;
  switch (kind) {
    case 'user':
    case 'assistant':
    case 'system':
      return event.said(kind, text, { trusted: kind === 'assistant' || trusted });
    case 'asked':
      return event.asked(callId, 'read', { path: text });
    case 'listed':
      return event.asked(callId, 'todo_write', {
        todos: [{ content: text, status: trusted ? 'completed' : 'pending' }],
      });
    case 'finished':
      return event.finished(callId, text, { status: trusted ? 'ok' : 'error' });
    case 'found':
      return event.found(text);
    case 'used':
      return event.used(pick, 3, trusted ? { cachedTokens: pick, totalCost: 0.5 } : {});
    case 'context':
      return event.context(`key-${pick % 4}`, text, {
        priority: pick % 3,
        trusted,
        ...(pick % 2 === 0 ? { expiresAt: new Date(Date.UTC(2026, 0, 1) + (pick % 90) * 1000).toISOString() } : {}),
      });
    case 'context-removed':
      return { type: 'context.removed', data: { key: `key-${pick % 4}`, reason: 'user' } };
    case 'context-cleared':
      return { type: 'context.cleared', data: {} };
    case 'moved':
      return event.moved(earlier);
    case 'compacted':
      return event.compacted(0, earlier, trusted ? text : undefined);
    case 'replaced':
      return event.replaced(
        earlier,
        Array.from({ length: pick % 4 }, (_, index) => [(pick + index) % 3 === 0 ? 'assistant' : 'user', text]),
      );
    case 'uncompacted':
      return event.uncompacted(earlier);
    case 'model':
      return {
        type: 'model.changed',
        data: { provider: 'p', model: `m${pick % 2}`, ...(trusted ? { contextWindow: 4000 } : {}) },
      };
    case 'titled':
      return { type: 'session.titled', data: { title: text } };
    case 'foreign':
      return { type: 'plugin.noted', data: { text }, ignorable: true };
    case 'turn-started':
      return { type: 'turn.started', data: { input: text }, turn: 1 + (pick % 5) };
    case 'turn-ended':
      return { type: 'turn.ended', data: { status: 'completed', steps: 1, durationMs: 1 }, turn: 1 + (pick % 5) };
  }
}
