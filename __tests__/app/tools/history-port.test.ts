import { historyPort } from '../../../lib/app/tools/history-port.ts';
import type { NewOllmEvent } from '../../../lib/events/index.ts';
import { memoryWorld, said } from '../../session/world.ts';

async function world(...more: NewOllmEvent[]) {
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
    ...more,
  ]);
  return historyPort(store, session.id);
}

describe('the past of a session', () => {
  it('is found by words, the best first, including outputs of tools', async () => {
    const history = await world();
    expect(await history.search('server port', 2)).toEqual([
      { seq: 1, role: 'user', text: 'Which port does the server take?' },
      { seq: 4, role: 'tool', text: 'port: 4711' },
    ]);
    expect(await history.search('elephant', 5)).toEqual([]);
    expect(await history.search('', 5)).toEqual([]);
  });

  it('is read by position, in order', async () => {
    const history = await world();
    expect((await history.read(2, 5)).map(({ seq, role }) => `${seq} ${role}`)).toEqual([
      ...['2 assistant', '4 tool', '5 assistant'],
    ]);
    expect(await history.read(100, 200)).toEqual([]);
  });

  it('excludes undone messages, also after an undone undo', async () => {
    const undo = (head: number): NewOllmEvent => ({ type: 'branch.moved', data: { head, reason: 'undo' } });
    const after = (...more: NewOllmEvent[]) => world(...more).then((history) => history.read(5, 100));
    const seqs = async (...more: NewOllmEvent[]) => (await after(...more)).map(({ seq }) => seq);
    expect(await seqs(undo(5))).toEqual([5]);
    // 7 goes back to after 5; 8 is said there; 9 goes back to the question 6, which is there again and 8 no longer.
    expect(await seqs(undo(5), said('user', 'instead'))).toEqual([5, 8]);
    expect(await seqs(undo(5), said('user', 'instead'), undo(6))).toEqual([5, 6]);
    expect(await (await world(undo(0))).search('server port', 5)).toEqual([]);
  });
});
