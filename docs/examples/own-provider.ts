// Lead a conversation with a model of your own: a provider is one function that streams.
import { createSession, openFileStore, type Provider, runTurn } from 'ollm';
import { lastValueFrom, tap } from 'rxjs';

const echo: Provider = {
  name: 'echo',
  capabilities: {
    streaming: true,
    toolCalling: false,
    tokenCounting: false,
    compaction: false,
    maxContextWindow: 8192,
  },
  models: async () => [{ name: 'echo-1' }],
  async *stream({ messages }) {
    const said = messages.at(-1);
    const text =
      said?.role === 'user' ? said.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
    for (const word of text.split(' ')) yield { type: 'text', text: `${word.toUpperCase()} ` };
    yield { type: 'finish', reason: 'stop' };
  },
};

const store = openFileStore(process.argv[2] ?? './sessions');
const session = await createSession(store, { name: 'Echo', provider: echo.name, model: 'echo-1' });

const end = await lastValueFrom(
  runTurn(session, 'who is there', { provider: echo, store }).pipe(
    tap((signal) => {
      if (signal.type === 'delta') process.stdout.write(signal.content);
    }),
  ),
);
console.log(`\n${end.type}, and ${session.writer.head.seq + 1} events are in ${session.id}.jsonl`);
await session.close('exit');
