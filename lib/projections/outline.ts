// Projection: the session without what was said and called, to find that in the journal. The same state as the session
// projection has, and as large as there are messages and calls, however long they are.
import type { OllmEventOf } from '../events/index.ts';
import { knownTokens } from '../tokens/estimate.ts';
import type { Fold } from './projection.ts';
import { type SessionState, sessionFold } from './session.ts';

type ReadType = (typeof sessionFold.reads)[number];

/** In the place of a result stands the seq of the event that has it; nothing where there is none. */
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
      return { type: event.type, seq, ts, data: { ...event.data, tokens, parts: [] } };
    }
    case 'tool.requested':
      return { type: event.type, seq, ts, data: { ...event.data, args: {} } };
    case 'tool.finished':
      return { type: event.type, seq, ts, data: { ...event.data, result: { llmContent: `${seq}` } } };
    default:
      return event;
  }
}
