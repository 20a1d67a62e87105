// Let a model call a function of yours. A model of the example's own asks for it; any provider would do.
import { createSession, defineTool, openMemoryStore, type Provider, runTurn } from 'ollm';

const dice = defineTool<{ sides: number }>({
  name: 'roll_dice',
  description: 'Rolls one die.',
  parameters: { type: 'object', properties: { sides: { type: 'integer', minimum: 2 } }, required: ['sides'] },
  isReadOnly: true,
  run: ({ sides }) => `It shows ${sides}.`,
});

const gambler: Provider = {
  name: 'gambler',
  capabilities: { streaming: true, toolCalling: true, tokenCounting: false, compaction: false, maxContextWindow: 8192 },
  models: async () => [{ name: 'gambler-1' }],
  async *stream({ messages }) {
    const last = messages.at(-1);
    if (last?.role === 'tool') {
      yield { type: 'text', text: `The die was rolled ${last.results.length} time.` };
      yield { type: 'finish', reason: 'stop' };
    } else {
      yield { type: 'tool-call', call: { callId: 'first', name: 'roll_dice', args: { sides: 6 } } };
      yield { type: 'finish', reason: 'tool-calls' };
    }
  },
};

const store = openMemoryStore();
const session = await createSession(store, { provider: gambler.name, model: 'gambler-1' });
runTurn(session, 'Roll a die', { provider: gambler, store, tools: [dice] }).subscribe({
  next(signal) {
    if (signal.type === 'tool_started') console.log(`runs: ${signal.summary}`);
    if (signal.type === 'tool_result') console.log(`${signal.status}: ${signal.content}`);
    if (signal.type === 'delta') console.log(signal.content);
  },
  complete: () => session.close('exit'),
});
