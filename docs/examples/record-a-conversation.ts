// Record what another program says and does, and list and read it later: ChatRecordingService.
import { createChatRecordingService, openFileStore } from 'ollm';

const store = openFileStore(process.argv[2] ?? './sessions');
const recording = createChatRecordingService({ store, maxSessions: 100 });

const id = await recording.createSession('llama3.2', 'ollama');
const timestamp = new Date().toISOString();
await recording.recordMessage(id, { role: 'user', parts: [{ type: 'text', text: 'What is in notes.md?' }], timestamp });
await recording.recordToolCall(id, {
  id: 'call-1',
  name: 'file_read',
  args: { path: 'notes.md' },
  result: { llmContent: 'Buy milk.' },
  timestamp,
});
await recording.recordMessage(id, { role: 'assistant', parts: [{ type: 'text', text: 'Buy milk.' }], timestamp });

for (const { model, messageCount } of await recording.listSessions()) console.log(`${model}: ${messageCount} messages`);
const session = await recording.getSession(id);
for (const { name, result } of session?.toolCalls ?? []) console.log(`${name}: ${result.llmContent}`);
await recording.close();
