// Incomplete answers: the turn completes and names the missing part.
import { partsOf, type Reply } from './request/reply.ts';
import type { Incomplete } from './signals.ts';
import type { Turn } from './turn.ts';

/** The notice for a person. `word`: the vendor's own for the end. */
export function incompleteNotice(incomplete: Incomplete, word: string | undefined): string {
  const named = word === undefined ? '' : ` (${word})`;
  switch (incomplete) {
    case 'length':
      if (word === 'model_context_window_exceeded')
        return `The answer is cut off: the context window of the model is full${named}. Make room with /compact, then say “go on”.`;
      return `The answer is cut off: it reached the limit for its length${named}. Say “go on”, or raise maxOutputTokens.`;
    case 'content-filter':
      return word !== undefined && /refus/i.test(word)
        ? `The model refused to answer, or to answer further${named}.`
        : `The answer is not whole: a filter of the provider stopped it${named}.`;
    case 'empty':
      return `The model answered with nothing${named}.`;
    case 'other': {
      const reason =
        word === undefined ? 'the provider ended it for a reason of its own' : `the provider ended it with “${word}”`;
      return `The answer may not be whole: ${reason}. Say “go on” to continue.`;
    }
  }
}

/**
 * The incompleteness of the answer that ends a turn; undefined if it is whole. Text before the calls of the turn counts
 * as an answer.
 */
export function incompleteness(turn: Turn, reply: Reply): Incomplete | undefined {
  turn.hasText ||= partsOf(reply, '').some((part) => part.type === 'text' && part.text.trim() !== '');
  if (reply.calls.length > 0) return undefined;
  if (reply.finish === 'length' || reply.finish === 'content-filter') return reply.finish;
  if (!turn.hasText) return 'empty';
  return reply.finish === 'other' ? 'other' : undefined;
}
