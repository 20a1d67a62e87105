import { createSession, createTurnOrchestrator, defineTool, openMemoryStore } from '../../lib/index.ts';
import { eventsOf } from '../session/world.ts';
import { forever, type Script, says, scriptedProvider } from '../support/scripted-provider.ts';

async function orchestrated(script: Script) {
  const store = openMemoryStore();
  const session = await createSession(store, { name: 'notes', provider: 'scripted', model: 'm-1' });
  const add = defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    isReadOnly: true,
    run: async ({ a, b }) => String(Number(a) + Number(b)),
  });
  const turns = createTurnOrchestrator(session, { provider: scriptedProvider(script), store, tools: [add] });
  return { turns, session, events: async () => await eventsOf(store, 'notes') };
}

describe('a turn by its separate parts', () => {
  it('is started, streams, and ends with its text and usage', async () => {
    const { turns } = await orchestrated(() => says('Hel', 'lo.'));
    const types: string[] = [];
    for await (const { type } of turns.start('Hi')) types.push(type);
    expect(types).toEqual(['start', 'delta', 'delta', 'done']);
    expect(await turns.finalise()).toMatchObject({ status: 'completed', text: 'Hello.', usage: { inputTokens: 10 } });
  });

  it('is aborted, and keeps the part that arrived', async () => {
    const { turns } = await orchestrated(async function* () {
      yield { type: 'text', text: 'half' };
      await forever();
    });
    for await (const { type } of turns.start('Hi')) if (type === 'delta') turns.abort();
    expect(await turns.finalise()).toMatchObject({ status: 'cancelled', text: 'half' });
  });

  it('ends when its signals are no longer asked for', async () => {
    const { turns, events } = await orchestrated(async function* () {
      yield { type: 'text', text: 'half' };
      await forever();
    });
    for await (const { type } of turns.start('Hi')) if (type === 'delta') break;
    expect(await turns.finalise()).toMatchObject({ status: 'cancelled' });
    expect((await events()).at(-1)).toMatchObject({ type: 'turn.ended', data: { status: 'cancelled' } });
  });

  it('runs a call by the policy, and records it', async () => {
    const { turns, events } = await orchestrated(() => says('unused'));
    expect(await turns.executeToolCall({ name: 'add', args: { a: 2, b: 3 } })).toEqual({ status: 'ok', content: '5' });
    expect((await events()).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['tool.requested', 'tool.decided', 'tool.started', 'tool.finished', 'turn.ended']),
    );
  });
});
