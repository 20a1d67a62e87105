import { countedEntries } from '../../lib/projections/timeline.ts';
import type { ViewState } from '../../lib/projections/view.ts';
import { openSession } from '../../lib/session/open.ts';
import { decodeStateDocument, encodeStateDocument, readSavedState } from '../../lib/session/state-document.ts';
import { memoryWorld, OPTIONS, said, turnEvents, viewTexts } from './world.ts';

describe('a state file', () => {
  it('says the same when it is read and written again, whether its entries were looked at or not', async () => {
    const { store } = await closedSession();
    const text = (await store.readDocument('notes', 'state')) ?? '';
    const read = () => decodeStateDocument(Buffer.from(text))!;
    const looked = read();
    expect(viewOf(looked).timeline.entries).toHaveLength(2);
    for (const saved of [read(), looked]) expect(Buffer.from(encodeStateDocument(saved)).toString()).toBe(text);
  });

  it('is one JSON object, with the entries of the view as a member of its own', async () => {
    const { store } = await closedSession();
    const whole = JSON.parse((await store.readDocument('notes', 'state')) ?? '');
    expect(whole.states.view.timeline.entries).toEqual([]);
    expect(whole.entries.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant']);
  });

  it('has its entries made objects once, when they are first looked at', async () => {
    const { store } = await closedSession();
    const view = viewOf((await readSavedState(store, 'notes'))!);
    const parse = JSON.parse;
    let parses = 0;
    JSON.parse = (...args) => {
      parses += 1;
      return parse(...args);
    };
    try {
      expect(view.timeline.incomplete).toBe(false);
      expect(parses).toBe(0);
      expect(view.timeline.entries).toBe(view.timeline.entries);
      expect(countedEntries(view.timeline)).toHaveLength(2);
      expect(parses).toBe(1);
    } finally {
      JSON.parse = parse;
    }
  });

  it('goes on as if they had been there from the start', async () => {
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
    expect(viewOf((await readSavedState(store, 'notes'))!).timeline.entries).toMatchObject([
      { callId: 'c', tokens: 1 },
    ]);
    await session.append({
      type: 'tool.finished',
      data: {
        ...{ callId: 'c', status: 'ok', durationMs: 1, trusted: false },
        result: { llmContent: 'Hügel' },
        tokens: { count: 2, method: 'counted' },
      },
    });
    await session.save({ snapshot: 'now' });
    expect(viewOf((await readSavedState(store, 'notes'))!).timeline.entries).toEqual(
      session.states.view.timeline.entries,
    );
    expect(session.states.view.timeline.entries).toMatchObject([{ tokens: 3, result: { content: 'Hügel' } }]);
    await session.close('exit');
  });

  it('is taken for damaged where an entry was changed, without anybody looking at it', async () => {
    const { store } = await closedSession();
    const text = (await store.readDocument('notes', 'state')) ?? '';
    const changed = text.replace('To the hills', 'To the bills');
    expect(changed).not.toBe(text);
    expect(decodeStateDocument(Buffer.from(changed))).toBeUndefined();
  });

  it('of folds without such a view is read as it is', () => {
    const anchor = { seq: 1, offset: 2, xxh64: '0'.repeat(16) };
    const head = { anchor, synced: anchor, epoch: 0, snapshotOffset: 0, versions: {} };
    for (const states of [{}, { view: null }, { view: { timeline: {} } }, { view: 4, other: ['é'] }]) {
      const saved = { ...head, journal: { format: 1, counts: COUNTS }, summary: SUMMARY, states };
      expect(decodeStateDocument(encodeStateDocument(saved))?.states).toEqual(states);
    }
  });
});

const COUNTS = { events: 1, damaged: 0, unknown: 0, invalid: 0, outOfOrder: 0 };
const SUMMARY = {
  id: 'notes',
  ...{ provider: 'p', model: 'm', startTime: '', lastActivity: '' },
  ...{ messageCount: 0, turnCount: 0, tokenCount: 0, closed: true },
};

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
