// Answers that are not whole: the turn completes, and says what is missing.
import { partsOf, type Reply } from './request/reply.ts';
import type { Incomplete } from './signals.ts';
import type { Turn } from './turn.ts';

/** The notices for a person. */
export const INCOMPLETE_NOTICES: Readonly<Record<Incomplete, string>> = {
  length: 'The answer is cut off: it reached the limit for its length. Say “go on”, or raise maxOutputTokens.',
  'content-filter': 'The answer is not whole: a filter of the provider stopped it.',
  empty: 'The model answered with nothing.',
};

/** Of the answer that ends a turn; undefined if it is whole. Text before the calls of the turn counts as an answer. */
export function incompleteness(turn: Turn, reply: Reply): Incomplete | undefined {
  turn.hasText ||= partsOf(reply, '').some((part) => part.type === 'text' && part.text.trim() !== '');
  if (reply.calls.length > 0) return undefined;
  if (reply.finish === 'length' || reply.finish === 'content-filter') return reply.finish;
  return turn.hasText ? undefined : 'empty';
}
