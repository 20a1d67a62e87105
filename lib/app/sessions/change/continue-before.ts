// Continues from before any turn of a session, so that another prompt takes its place. Nothing leaves the journal: the
// turn and all later ones are aside, and the conversation can return to them.
import { OllmError } from '../../../errors/index.ts';
import type { JournalReader } from '../../../journal/types.ts';
import type { LiveTurn } from '../../../session/last-turn.ts';
import { turnAt } from '../../../session/last-turn.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';

/**
 * `seq`: any event of the turn. Resolves with the event that the conversation continues after.
 *
 * @example await continueBefore(app, conversation, 41);
 * @throws OllmError SEQ_NOT_FOUND
 */
export async function continueBefore(_app: App, { session, store }: Conversation, seq: number): Promise<number> {
  return session.exclusively(async () => {
    const { before } = await readJournal(store, session.id, (reader) => requireTurn(reader, seq));
    await session.append({ type: 'branch.moved', data: { head: before, reason: 'retry' } });
    return before;
  });
}

/** The input of the turn that an event belongs to. @throws OllmError SEQ_NOT_FOUND */
export async function requireTurn(
  reader: Pick<JournalReader, 'id' | 'backwards'>,
  seq: number,
): Promise<Omit<LiveTurn, 'turn'>> {
  const turn = await turnAt(reader, seq);
  if (turn !== undefined) return turn;
  throw new OllmError('SEQ_NOT_FOUND', `Session ${reader.id} has no turn with event ${seq}.`, { data: { seq } });
}
