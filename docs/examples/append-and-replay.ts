// Keep a conversation that another program leads: append what happens, and read it back as one document.
import { openFileStore, replay, sessionFold, sessionJson } from 'ollm';

const store = openFileStore(process.argv[2] ?? './sessions');

const writer = await store.create('notes', { provider: 'mine', model: 'mine-1', ollm: '0.1.0' });
await writer.append(
  [
    {
      type: 'message.added',
      data: {
        role: 'user',
        parts: [{ type: 'text', text: 'What is a journal?' }],
        tokens: { count: 5, method: 'counted' },
        trusted: true,
      },
      // The same id is never appended twice: after a failure, append again.
      id: 'question-1',
    },
    {
      type: 'message.added',
      data: {
        role: 'assistant',
        parts: [{ type: 'text', text: 'A file to which facts are added, and from which none is taken.' }],
        tokens: { count: 14, method: 'counted' },
        trusted: false,
      },
      id: 'answer-1',
    },
  ],
  { durability: 'disk' },
);
await writer.close();

const reader = store.openReader('notes');
const { states, counts } = await replay(reader, { session: sessionFold });
reader.close();

const session = sessionJson(states.session);
console.log(`${counts.events} events, ${session.messages.length} messages`);
for (const { role, parts } of session.messages) {
  for (const part of parts) if (part.type === 'text') console.log(`${role}: ${part.text}`);
}
