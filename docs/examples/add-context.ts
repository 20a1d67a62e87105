// Give a model texts with every request, for a while or permanently: ContextManager.
import { createContextManager, createSession, openMemoryStore, openSession } from 'ollm';

const store = openMemoryStore();
const session = await createSession(store, { name: 'Notes', provider: 'mine', model: 'mine-1' });
const context = createContextManager({ session });

context.addContext('style', 'Answer in one sentence.', { priority: 80 });
context.addContext('rota', 'Anna is on call.', { source: 'extension', ttlMs: 3_600_000 });
await context.settled();
await session.close('exit');

// The entries are part of the session.
const again = await openSession(store, 'notes');
console.log(createContextManager({ session: again }).getSystemPromptAdditions().split('\n\n').slice(0, 3).join(' '));
await again.close('exit');
