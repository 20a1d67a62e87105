import fc from 'fast-check';
import type { ViewState } from '../../../lib/projections/view.ts';
import { openSession } from '../../../lib/session/open.ts';
import { decodeState, encodeState, readState } from '../../../lib/session/saved/state-file.ts';
import { memoryWorld, OPTIONS, said, turnEvents, viewTexts } from '../world.ts';

describe('a state file', () => {
  it('is equal after it is read and written again', async () => {
    const { store } = await closedSession();
    const file = (await store.readDocument('notes', 'state')) ?? '';
    expect(Buffer.from(encodeState(decodeState(file)!)).toString()).toBe(file);
  });

  it('is one JSON object in two lines, the head and the states', async () => {
    const { store } = await closedSession();
    const file = (await store.readDocument('notes', 'state')) ?? '';
    const { head, states } = JSON.parse(file);
    expect(file.split('\n')).toHaveLength(3);
    expect(Buffer.byteLength(file.split('\n')[0]!)).toBeLessThan(1500);
    expect(head.summary).toMatchObject({ id: 'notes', messageCount: 2 });
    expect(states.view.timeline.entries.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
  });

  it('is not used if any byte of it was changed, added or lost', async () => {
    const { store } = await closedSession();
    const file = Buffer.from((await store.readDocument('notes', 'state')) ?? '');
    await fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (pick, bits) => {
        const at = pick % file.length;
        const flipped = Buffer.from(file);
        flipped[at] = flipped[at]! ^ bits;
        const doubled = Buffer.concat([file.subarray(0, at + 1), file.subarray(at)]);
        for (const changed of [flipped, doubled, file.subarray(0, at)]) {
          expect(decodeState(new TextDecoder().decode(changed))).toBeUndefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is not used in a form of a different version, and the session is the same', async () => {
    const { store, texts } = await closedSession();
    const file = JSON.parse((await store.readDocument('notes', 'state')) ?? '');
    const former = { head: { ...file.head, format: 4 }, states: file.states, entries: [] };
    await store.writeDocument('notes', 'state', JSON.stringify(former).replace(',"states"', ',\n"states"'));
    expect(await readState(store, 'notes')).toBeUndefined();
    const session = await openSession(store, 'notes', OPTIONS);
    expect(viewTexts(session)).toEqual(texts);
    expect(session.report.notices).toEqual([]);
    await session.close('exit');
    expect((await readState(store, 'notes'))?.anchor).toEqual(session.writer.head);
  });

  it('continues a session as if it had never been closed', async () => {
    const { store, texts } = await closedSession();
    const session = await openSession(store, 'notes', OPTIONS);
    await session.append(said('user', 'And “überall”?', 2));
    expect(viewTexts(session)).toEqual([...texts, 'user: And “überall”?']);
    await session.close('exit');
    const again = await openSession(store, 'notes', OPTIONS);
    expect(viewTexts(again)).toEqual([...texts, 'user: And “überall”?']);
    await again.close('exit');
  });

  it('has the result of a call that was saved before it had one', async () => {
    const { store, create } = memoryWorld();
    const session = await create();
    const call = { callId: 'c', name: 'look', args: {} };
    await session.append({ type: 'tool.requested', data: { ...call, tokens: { count: 1, method: 'estimated' } } });
    for (const _ of ['once', 'and again']) await session.save({ snapshot: 'now' });
    expect(viewOf((await readState(store, 'notes'))!).timeline.entries).toMatchObject([{ callId: 'c', tokens: 1 }]);
    await session.append({
      type: 'tool.finished',
      data: {
        ...{ callId: 'c', status: 'ok', durationMs: 1, trusted: false },
        result: { llmContent: 'Hügel' },
        tokens: { count: 2, method: 'counted' },
      },
    });
    await session.save({ snapshot: 'now' });
    expect(viewOf((await readState(store, 'notes'))!).timeline.entries).toEqual(session.states.view.timeline.entries);
    expect(session.states.view.timeline.entries).toMatchObject([{ tokens: 3, result: { content: 'Hügel' } }]);
    await session.close('exit');
  });
});

async function closedSession() {
  const { store, create } = memoryWorld();
  const session = await create();
  await session.append(turnEvents(1, 'Where to?', 'To the hills, 日本.'));
  const texts = viewTexts(session);
  await session.close('exit');
  return { store, texts };
}

function viewOf({ states }: { readonly states: Readonly<Record<string, unknown>> }): ViewState {
  return states.view as ViewState;
}
