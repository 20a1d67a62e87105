// What a session cost, without opening it for writing: from its state file where that knows the last line of the
// journal, else from the journal.
import type { JournalStore } from '../journal/types.ts';
import { budgetFold } from '../projections/budget.ts';
import { replay } from '../projections/replay.ts';
import type { Spent } from '../projections/spending.ts';
import { savedState } from './saved/saved-state.ts';

/** The sums do not need the entries that a window reaches. */
const KEPT_TOKENS = 4_096;

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
export async function spentIn(store: JournalStore, id: string): Promise<Readonly<Spent>> {
  using reader = store.openReader(id);
  const from = await savedState(store, reader, { ...budgetFold, name: 'budget' });
  const { states } = await replay(reader, { budget: budgetFold }, { capTokens: KEPT_TOKENS, from });
  return states.budget.spent;
}
