import type { Anchor, JournalFileInfo, JournalStore } from '../../lib/journal/types.ts';
import { rowOfSummary } from '../../lib/projections/summary.ts';
import { decodeState, readStateHead } from '../../lib/session/saved/state-file.ts';
import { summarize, summarizeListed } from '../../lib/session/summarize.ts';
import { changeState, eventsOf, memoryWorld, said, turnEvents } from './world.ts';

describe('the summary of a session', () => {
  it('comes from only the head of its state file, if the journal ends with the line that the head names', async () => {
    const { store, row } = await closedSession();
    await change(store, (saved) => ({ ...saved, states: {} }));
    const { asked, counting } = countingStore(store);
    expect(await summarize(counting, 'notes')).toMatchObject({ summary: row, events: 6, damaged: 0, format: 1 });
    expect(asked).toEqual({ openings: 1, heads: 1, documents: 0, readings: 0 });
  });

  it('is equal from the head and from only the journal', async () => {
    const { store } = await closedSession();
    const fromHead = await summarize(store, 'notes');
    await store.removeDocument('notes', 'state');
    expect(await summarize(store, 'notes')).toEqual({ ...fromHead, atRest: false });
  });

  it('in a list does not open a journal of the length that its state file names', async () => {
    const { store } = await closedSession();
    const [info] = await store.list();
    const { asked, counting } = countingStore(store);
    expect(await summarizeListed(counting, info!)).toEqual(await summarize(store, 'notes'));
    expect(asked).toEqual({ openings: 0, heads: 1, documents: 0, readings: 0 });
  });

  it.each<[string, Partial<JournalFileInfo>]>([
    ['is longer', { bytes: 1_000_000 }],
    ['is shorter', { bytes: 1 }],
    ['is a link, or has a second name', { isOrdinary: false }],
  ])('in a list comes from a journal that %s', async (_, change) => {
    const { store } = await closedSession();
    const { asked, counting } = countingStore(store);
    expect(await summarizeListed(counting, { ...(await store.list())[0]!, ...change })).toEqual(
      await summarize(store, 'notes'),
    );
    expect(asked.openings).toBe(1);
  });

  it('says that no process has the session open only if its last writer closed it', async () => {
    const { store } = await closedSession();
    expect((await summarize(store, 'notes')).atRest).toBe(true);
    const writer = await store.openWriter('notes');
    expect((await summarize(store, 'notes')).atRest).toBe(false);
    await writer.close();
  });

  it('counts the events written since', async () => {
    const { store } = await closedSession();
    const writer = await store.openWriter('notes');
    await writer.append(said('user', 'And now?', 2));
    await writer.close();
    expect((await summarize(store, 'notes')).summary).toMatchObject({
      messageCount: 3,
      lastMessage: { excerpt: 'And now?' },
    });
  });

  it.each<[string, (anchor: Anchor) => Anchor]>([
    ['a different checksum', (anchor) => ({ ...anchor, xxh64: anchor.xxh64.replaceAll(/./g, '0') })],
    ['a different number', (anchor) => ({ ...anchor, seq: anchor.seq + 1 })],
    ['a different length', (anchor) => ({ ...anchor, offset: anchor.offset + 1 })],
  ])('is not taken from a head that names a line with %s', async (_, other) => {
    const { store, row } = await closedSession();
    await change(store, ({ head, states }) => ({
      head: { ...head, anchor: other(head.anchor as Anchor), summary: { ...row, messageCount: 99 } },
      states,
    }));
    expect((await summarize(store, 'notes')).summary).toEqual(row);
  });

  it('is not taken from a head that a different version of the fold made', async () => {
    const { store, row } = await closedSession();
    await change(store, ({ head, states }) => ({
      head: { ...head, versions: { summary: 0 }, summary: { ...row, messageCount: 99 } },
      states: { ...states, summary: undefined },
    }));
    expect((await summarize(store, 'notes')).summary).toEqual(row);
  });

  it('is found after a head that is longer than the first read', async () => {
    const world = memoryWorld();
    const created = { provider: 't', model: 'm', ollm: '0', cwd: `/${'é'.repeat(5000)}` };
    const session = await world.create('notes', { created });
    await session.close('exit');
    expect((await readStateHead(world.store, 'notes'))?.summary.cwd).toBe(created.cwd);
    expect((await summarize(world.store, 'notes')).summary.cwd).toBe(created.cwd);
  });

  it.each([
    '',
    '{',
    '[]\n',
    'null',
    '{"head":{},\n"states":{}}\n',
    '{"head":1,\n',
    '{"head":{},"xxh64":"0000000000000000",\n"states":{}}\n',
    '\0'.repeat(5000),
  ])('comes from the journal if the state file is %j', async (text) => {
    const { store, row } = await closedSession();
    await store.writeDocument('notes', 'state', text);
    expect(await readStateHead(store, 'notes')).toBeUndefined();
    expect(decodeState(text)).toBeUndefined();
    expect((await summarize(store, 'notes')).summary).toEqual(row);
  });
});

async function closedSession() {
  const world = memoryWorld();
  const session = await world.create();
  await session.append(turnEvents(1, 'What is in it?', 'Two notes.\nNo more.'));
  await session.close('exit');
  return {
    store: world.store,
    row: rowOfSummary(session.states.summary),
    events: await eventsOf(world.store, 'notes'),
  };
}

type Saved = { readonly head: Record<string, unknown>; readonly states: Record<string, unknown> };

/** Rewrites the state file in its own form. */
async function change(store: JournalStore, how: (saved: Saved) => Saved): Promise<void> {
  await changeState(store, ({ states, ...head }) => {
    const changed = how({ head: { ...head }, states });
    return { ...head, ...changed.head, states: changed.states };
  });
}

function countingStore(store: JournalStore) {
  const asked = { openings: 0, heads: 0, documents: 0, readings: 0 };
  const counting: JournalStore = {
    ...store,
    async readDocument(...request) {
      asked[request[2] === undefined ? 'documents' : 'heads'] += 1;
      return await store.readDocument(...request);
    },
    openReader(id) {
      asked.openings += 1;
      const reader = store.openReader(id);
      return {
        ...reader,
        outcomes(options) {
          asked.readings += 1;
          return reader.outcomes(options);
        },
      };
    },
  };
  return { asked, counting };
}
