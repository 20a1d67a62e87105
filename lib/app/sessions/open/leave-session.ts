// Leaves a conversation. A session that this process made, that has no name, and in which nothing was said or set is
// not kept: otherwise every REPL that was merely opened would be in the list, and push out one that matters. Anything
// that came from the user, such as a title, keeps it.
import { everyOutcome } from '../../../journal/reading/outcomes.ts';
import type { JournalReader, StoredEvent } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';

export interface Leaving {
  readonly reason: 'exit' | 'eof' | 'signal';
  /** The name of the signal. */
  readonly signal?: string | undefined;
}

/**
 * Closes its session. False: nothing was in it, and it is gone.
 *
 * @throws OllmError what closing throws
 */
export async function leaveSession(
  { log }: Pick<App, 'log'>,
  { session, store, ephemeral }: Pick<Conversation, 'session' | 'store' | 'ephemeral'>,
  { reason, signal }: Leaving,
): Promise<boolean> {
  await session.close(reason, signal);
  if (ephemeral || !session.report.created) return true;
  try {
    if (!(await readJournal(store, session.id, holdsNothing))) return true;
    const { entry } = await store.trash(session.id);
    await store.purge(entry);
    return false;
  } catch (error) {
    const fields = { service: 'session', operation: 'leave', sessionId: session.id, error };
    log.warn({ ...fields, action: '"ollm delete" removes it.' }, 'A session without a word could not be removed');
    return true;
  }
}

function holdsNothing(reader: JournalReader): Promise<boolean> {
  return everyOutcome(reader.outcomes(), (outcome) => outcome.kind === 'event' && comesByItself(outcome.event));
}

/** What a session begins and ends with, also where nothing is said in between. */
function comesByItself({ type, data }: StoredEvent): boolean {
  switch (type) {
    case 'session.created':
      return data.title === undefined && data.parent === undefined;
    case 'message.added':
      return data.role === 'system';
    case 'context.added':
      return data.source === 'hook';
    case 'mode.changed':
    case 'session.closed':
    case 'run.started':
    case 'run.ended':
      return true;
    default:
      return false;
  }
}
