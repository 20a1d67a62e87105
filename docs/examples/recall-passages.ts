// Find the passages of conversations and files that answer a question: ConversationRAG.
import { createConversationRAG } from 'ollm';

const rag = createConversationRAG();
rag.index({ kind: 'message', session: 'harbour', key: '7', text: 'The server listens on 8471, as harbour.toml says.' });
rag.index({
  kind: 'file',
  project: '/home/ada/harbour',
  path: 'docs/locks.md',
  text: '# Locks\n\nEach writer releases its lock at the end.\n',
});

for (const question of ['Which port does the server listen on?', 'When is a lock released?']) {
  const [best] = await rag.retrieve(question, 3);
  console.log(`${best?.place}: ${best?.words.join(', ')}`);
}
await rag.close();
