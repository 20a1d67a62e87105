// Returns to a branch that was left: undone turns are part of the conversation again, and later ones are on the other
// branch.
import { OllmError } from '../../../errors/index.ts';
import { eachEvent } from '../../../journal/reading/outcomes.ts';
import { isOnActiveBranch } from '../../../projections/branches.ts';
import { outlineFold } from '../../../projections/outline.ts';
import { replay } from '../../../projections/replay.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';

/**
 * Continues after `seq`, an event that was undone, or after the last one before it if `seq` is itself a move between
 * branches. Nothing leaves the journal: the same call can return to the branch that is left now.
 *
 * @returns seq of the event that the conversation continues after
 * @example await returnToBranch(app, conversation, 41);
 * @throws OllmError SEQ_NOT_FOUND, USAGE (the event was not undone)
 */
export async function returnToBranch(_app: App, { session, store }: Conversation, seq: number): Promise<number> {
  return session.exclusively(async () => {
    const head = await readJournal(store, session.id, async (reader) => {
      const { states } = await replay(reader, { outline: outlineFold }, {});
      if (isOnActiveBranch(states.outline.branches, seq)) {
        const hint = 'What was undone is listed by "ollm show".';
        throw new OllmError('USAGE', `Event ${seq} is part of the conversation already.`, { hint, data: { seq } });
      }
      for await (const event of eachEvent(reader.backwards())) {
        if (event.seq <= seq && event.type !== 'branch.moved') return event.seq;
      }
      throw new OllmError('SEQ_NOT_FOUND', `Session ${session.id} has no event ${seq}.`, { data: { seq } });
    });
    await session.append({ type: 'branch.moved', data: { head, reason: 'branch' } });
    return head;
  });
}
