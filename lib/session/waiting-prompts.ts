// Reads the prompts that wait in a session, without opening it for writing: from its state file and the events since.
import type { JournalStore } from '../journal/types.ts';
import { queueFold, type WaitingPrompt } from '../projections/queue.ts';
import { replay } from '../projections/replay.ts';
import { savedState } from './saved/saved-state.ts';

/**
 * The next one first. None of an encrypted session whose key is not here: they cannot be read.
 *
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE
 */
export async function waitingPrompts(store: JournalStore, id: string): Promise<readonly WaitingPrompt[]> {
  using reader = store.openReader(id);
  if ((await reader.sealed()) !== undefined) return [];
  const from = await savedState(store, reader, { ...queueFold, name: 'queue' });
  return (await replay(reader, { queue: queueFold }, { from })).states.queue.prompts;
}
