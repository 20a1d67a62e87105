// `ollm show ADDRESS#KEY --json`: the events of one message.
import { eachEvent } from '../../../journal/reading/outcomes.ts';
import type { SessionEvent } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';
import { seqsOf } from './message-key.ts';

interface ShownMessage {
  readonly id: string;
  readonly key: string;
  readonly events: readonly Pick<SessionEvent, 'seq' | 'ts' | 'type' | 'turn' | 'data'>[];
}

/** Undefined where the reference names a session, and no message of it. @throws OllmError SESSION_*, SEQ_NOT_FOUND */
export async function showMessage(
  app: App,
  reference: string,
  { imported, signal }: ReadingOptions & { readonly signal?: AbortSignal } = {},
): Promise<ShownMessage | undefined> {
  const { id, key, read } = await findConversation(app, reference, { imported });
  if (key === undefined) return undefined;
  return read(async (reader) => {
    const { from, to } = await seqsOf(reader, key, signal);
    const events: ShownMessage['events'][number][] = [];
    for await (const { seq, ts, type, turn, data } of eachEvent(reader.outcomes({ signal }))) {
      if (seq >= from && seq <= to) events.push({ seq, ts, type, turn, data });
    }
    return { id, key, events };
  });
}
