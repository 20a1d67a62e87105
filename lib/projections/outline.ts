// Projection: the session without what was said and called, to find that in the journal. The same state as the session
// projection has, and as large as there are messages and calls, however long they are.
import type { OllmEventOf } from '../events/index.ts';
import type { Part } from '../messages/index.ts';
import { knownTokens, textTokens } from '../tokens/estimate.ts';
import type { Fold } from './projection.ts';
import { type SessionState, sessionFold } from './session.ts';

type ReadType = (typeof sessionFold.reads)[number];

/**
 * In the place of parts stand the seqs of the events that have them. In the place of a result stands the seq of the
 * event that has it; nothing where there is none.
 */
export const outlineFold: Fold<SessionState, ReadType> = {
  ...sessionFold,
  name: 'outline',
  apply: (state, event) => sessionFold.apply(state, outlined(event)),
};

function outlined(event: OllmEventOf<ReadType>): OllmEventOf<ReadType> {
  const { seq, ts } = event;
  switch (event.type) {
    case 'message.added': {
      const tokens = knownTokens(event.data.tokens, event.data.parts);
      return { type: event.type, seq, ts, data: { ...event.data, tokens, parts: placeOf(seq) } };
    }
    case 'message.replaced': {
      const tokens = knownTokens(event.data.tokens, event.data.parts);
      return { type: event.type, seq, ts, data: { ...event.data, tokens, parts: placeOf(seq) } };
    }
    case 'tool.requested':
      return { type: event.type, seq, ts, data: { ...event.data, args: {} } };
    case 'tool.finished': {
      const tokens = textTokens(event.data.tokens, event.data.result.llmContent);
      return { type: event.type, seq, ts, data: { ...event.data, tokens, result: { llmContent: `${seq}` } } };
    }
    default:
      return event;
  }
}

function placeOf(seq: number): Part[] {
  return [{ type: 'text', text: `${seq}` }];
}

/** The events that hold the parts of a message of an outline, in the order of the parts. */
export function placesOf(parts: readonly Part[]): readonly number[] {
  return parts.flatMap((part) => (part.type === 'text' ? [Number(part.text)] : []));
}
