import { historyPort } from '../../lib/app/history-port.ts';
import { memoryWorld, said } from '../session/world.ts';

async function world() {
  const { store, create } = memoryWorld();
  const session = await create();
  await session.append([
    said('user', 'Which port does the server take?'),
    said('assistant', 'I will look.'),
    { type: 'tool.requested', data: { callId: 'c1', name: 'file_read', args: {} } },
    {
      type: 'tool.finished',
      data: {
        callId: 'c1',
        status: 'ok',
        result: { llmContent: 'port: 4711' },
        tokens: { count: 3, method: 'counted' },
        durationMs: 1,
        trusted: false,
      },
    },
    said('assistant', 'It takes 4711.'),
    said('user', 'And which colour has the sky?'),
  ]);
  return historyPort(store, session.id);
}

describe('the past of a session', () => {
  it('is found by words, the best first, what tools brought back included', async () => {
    const history = await world();
    expect(await history.search('server port', 2)).toEqual([
      { seq: 1, role: 'user', text: 'Which port does the server take?' },
      { seq: 4, role: 'tool', text: 'port: 4711' },
    ]);
    expect(await history.search('elephant', 5)).toEqual([]);
    expect(await history.search('', 5)).toEqual([]);
  });

  it('is read by place, in order', async () => {
    const history = await world();
    expect((await history.read(2, 5)).map(({ seq, role }) => `${seq} ${role}`)).toEqual([
      ...['2 assistant', '4 tool', '5 assistant'],
    ]);
    expect(await history.read(100, 200)).toEqual([]);
  });
});
