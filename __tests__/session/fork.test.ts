import fc from 'fast-check';
import { assemble } from '../../lib/context/assemble.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { timeOf } from '../../lib/events/time-of.ts';
import type { JournalStore, NewEvent } from '../../lib/journal/types.ts';
import { replay } from '../../lib/projections/replay.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { forkSession } from '../../lib/session/fork.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event } from '../support/event-list.ts';
import { eventsOf, memoryWorld, said, turnEvents, viewTexts } from './world.ts';

const MINUTE_MS = 60_000;
const AFTER_HALF_A_MINUTE = '2026-01-01T00:00:30.000Z';

describe('a fork', () => {
  it("knows the parent's state at its event, and nothing later", async () => {
    const world = memoryWorld();
    const session = await world.create('notes', {
      system: { text: 'Be brief.', tokens: { count: 3, method: 'counted' } },
    });
    await session.append(turnEvents(1, 'one?', 'one.'));
    const at = session.writer.head.seq;
    await session.append(turnEvents(2, 'two?', 'two.'));

    // The parent is open all the while.
    const fork = await forkSession(world.store, 'notes', { id: 'other', at, created: { ollm: '0.0.1' } });
    expect(fork).toEqual({ id: 'other', at });
    const opened = await world.open('other');
    expect(viewTexts(opened)).toEqual(['system: Be brief.', 'user: one?', 'assistant: one.']);
    expect(opened.report.notices).toEqual([]);
    const parent = (await eventsOf(world.store, 'notes'))[at];
    expect((await eventsOf(world.store, 'other'))[0]?.data).toMatchObject({
      sessionId: 'other',
      ollm: '0.0.1',
      parent: { sessionId: 'notes', seq: at, xxh64: parent?.xxh64 },
    });
    await opened.close('exit');
    await session.close('exit');
  });

  it('and its parent change independently', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await forkSession(world.store, 'notes', { id: 'other', created: {} });
    const opened = await world.open('other');
    await opened.append(turnEvents(2, 'left?', 'left.'));
    await session.append(turnEvents(2, 'right?', 'right.'));
    expect(viewTexts(opened)).toEqual(['user: one?', 'assistant: one.', 'user: left?', 'assistant: left.']);
    expect(viewTexts(session)).toEqual(['user: one?', 'assistant: one.', 'user: right?', 'assistant: right.']);
    await opened.close('exit');
    await session.close('exit');
  });

  it('has a title of its own', async () => {
    const world = memoryWorld();
    const session = await world.create('notes', { created: { provider: 'p', model: 'm', ollm: '0', title: 'Plans' } });
    await session.close('exit');
    await forkSession(world.store, 'notes', { id: 'one', created: {} });
    await forkSession(world.store, 'notes', { id: 'two', title: 'Plan B', created: {} });
    const events = [...(await eventsOf(world.store, 'one')), ...(await eventsOf(world.store, 'two'))];
    const titled = events.filter(({ type }) => type === 'session.titled');
    expect(titled.map(({ data }) => data.title)).toEqual(['Plans (fork)', 'Plan B']);
  });

  it.each([99, -1])('is refused at a missing event: %d', async (at) => {
    const world = memoryWorld();
    await (await world.create()).close('exit');
    const fork = forkSession(world.store, 'notes', { id: 'other', at, created: {} });
    await expect(fork).rejects.toMatchObject({ code: 'SEQ_NOT_FOUND' });
    expect(await world.store.has('other')).toBe(false);
  });

  it('sends the model the same request as its parent would at that event, after any events', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), fc.nat(), async (events, point) => {
        const world = memoryWorld();
        const last = await writeSession(world, events);
        const at = point % (last + 1);
        world.clock.advance(MINUTE_MS);
        await forkSession(world.store, 'notes', { id: 'other', at, created: {} });
        expect(await requestOf(world.store, 'other')).toEqual(await requestOf(world.store, 'notes', at));
      }),
      {
        examples: [
          // A prompt of white space after another one.
          [[said('system', 'You are terse.'), said('system', '\t')], 2],
          // An entry that held at that event, and had expired when the fork was made.
          [[event.context('a', 'one', { expiresAt: AFTER_HALF_A_MINUTE }), said('user', 'hi')], 2],
        ],
      },
    );
  });

  it('has the original time of each event', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (events) => {
        const world = memoryWorld();
        await writeSession(world, events);
        world.clock.advance(MINUTE_MS);
        await forkSession(world.store, 'notes', { id: 'other', created: {} });
        const times = async (id: string) =>
          (await eventsOf(world.store, id))
            .filter(({ type }) => !/^(session|writer)\./.test(type))
            .map((each) => [each.type, timeOf(each)]);
        expect(await times('other')).toEqual(await times('notes'));
      }),
      { numRuns: 30 },
    );
  });

  it('acknowledges a repeated append from the copy', async () => {
    const world = memoryWorld();
    const session = await world.create();
    const note = (text: string): NewOllmEvent => ({ ...said('user', text), id: 'key-1' });
    await session.append([note('x')]);
    world.clock.advance(MINUTE_MS);
    await forkSession(world.store, 'notes', { id: 'other', created: {} });
    const opened = await world.open('other');
    await opened.append([note('x')]);
    await expect(opened.append([note('y')])).rejects.toMatchObject({ code: 'EVENT_CONFLICT' });
    expect((await eventsOf(world.store, 'other')).filter(({ id }) => id === 'key-1')).toHaveLength(1);
    await opened.close('exit');
    await session.close('exit');
  });
});

/** The session `notes` of these events, one each second. The seq of the last. */
async function writeSession(
  { store, clock }: ReturnType<typeof memoryWorld>,
  events: readonly NewEvent[],
): Promise<number> {
  const writer = await store.create('notes', { provider: 'p', model: 'm', ollm: '0' });
  for (const event of events) {
    clock.advance(1000);
    if (event.type !== 'session.created') await writer.append(event);
  }
  await writer.close();
  return writer.head.seq;
}

async function requestOf(store: JournalStore, id: string, at?: number) {
  const reader = store.openReader(id);
  const { states } = await replay(reader, { view: viewFold }, at === undefined ? {} : { at: { seq: at } });
  reader.close();
  const { system, messages } = assemble({ ...states.view, contextWindow: 1e9 }, { reserveTokens: 0 });
  return { system, messages };
}
