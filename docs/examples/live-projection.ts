// Follow a session while it continues: a stream of its events, stored and new, and a state that moves with them.
import { budgetFold, createSession, liveJournal, openMemoryStore, project, usedTokens } from 'ollm';

const store = openMemoryStore();
const session = await createSession(store, { provider: 'mine', model: 'mine-1', system: 'Answer in one word.' });

const journal = liveJournal({ openReader: () => store.openReader(session.id), writer: session.writer });
const subscription = journal.events$
  .pipe(project(budgetFold))
  .subscribe((budget) => console.log(`${usedTokens(budget).count} tokens in the window`));

for (const text of ['Is the sky blue?', 'Is the grass green?']) {
  await session.append({
    type: 'message.added',
    data: { role: 'user', parts: [{ type: 'text', text }], tokens: { count: 5, method: 'counted' }, trusted: true },
  });
}
// Events are handed on as they are stored; the stored ones are read in the background.
await new Promise((resolve) => setTimeout(resolve, 50));
subscription.unsubscribe();
await session.close('exit');
