// An event may refer only to events of its session. `ollm append` uses the same code:
// __tests__/cli/commands/append.test.ts.
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { openSession } from '../../lib/session/open.ts';
import { event } from '../support/event-list.ts';
import { eventsOf, memoryWorld, OPTIONS, said, typesOf } from './world.ts';

const IMAGE = { type: 'image', mediaType: 'image/png', blob: 'a'.repeat(64) } as const;
const started = (callId: string) =>
  ({ type: 'tool.started', data: { callId, sandbox: 'none', envRemoved: [] } }) as unknown as NewOllmEvent;

const DANGLING: readonly (readonly [what: string, NewOllmEvent])[] = [
  ['an undo to an event that is not there', event.moved(99)],
  ['the undoing of a compaction that is not there', event.uncompacted(99)],
  ['a span that ends behind the last event', event.compacted(0, 99)],
  ['a span that begins behind its end', event.compacted(2, 1)],
  ['a compaction that keeps nothing that is there', event.compacted(0, 4)],
  ['a result without a call', event.finished('c')],
  ['a start without a call', started('c')],
  ['a turn that is two ahead', said('user', 'x', 3)],
  ['an attachment that is not there', event.said('user', 'x', { parts: [IMAGE] })],
];

async function begun() {
  const world = memoryWorld();
  const session = await world.create();
  await session.append([said('user', 'one', 1), said('assistant', 'two', 1), said('user', 'three', 1)]);
  return { ...world, session };
}

describe('a session', () => {
  it.each(DANGLING)('refuses %s, with its whole batch', async (_, dangling) => {
    const { session, store } = await begun();
    const before = await typesOf(store, 'notes');
    await expect(session.append([said('user', 'with it', 1), dangling])).rejects.toMatchObject({
      code: 'EVENT_DANGLING',
      message: expect.stringContaining(`The event ${dangling.type} points nowhere: `),
    });
    expect(await typesOf(store, 'notes')).toEqual(before);
    await session.append(said('user', 'continues', 1));
    await session.close('exit');
  });

  it('takes references to an earlier event of the same batch', async () => {
    const { session } = await begun();
    await session.append([event.asked('c'), started('c'), event.finished('c'), event.moved(6), event.compacted(0, 6)]);
    await expect(session.append(event.finished('c'))).rejects.toMatchObject({ code: 'EVENT_DANGLING' });
    await session.close('exit');
  });

  it('takes references to an event of a running append, in the order of the calls', async () => {
    const { session, store } = await begun();
    const blob = await store.putBlob(Buffer.from('a picture'));
    await Promise.all([
      session.append(event.said('user', 'seen', { parts: [{ ...IMAGE, blob }] })),
      session.append(event.asked('c')),
      session.append(started('c')),
      session.append(event.finished('c')),
      session.append(event.moved(7)),
    ]);
    expect((await typesOf(store, 'notes')).slice(-5)).toEqual([
      ...['message.added', 'tool.requested', 'tool.started', 'tool.finished', 'branch.moved'],
    ]);
    await session.close('exit');
  });

  it('stores an event id once, even if the event that it refers to has ended since', async () => {
    const { session, store } = await begun();
    const finished = { ...event.finished('c'), id: 'k' } as NewOllmEvent;
    await session.append([event.asked('c'), finished, finished]);
    const [receipt] = await session.append(finished);
    expect(receipt).toMatchObject({ duplicate: true });
    await session.close('exit');
    const again = await openSession(store, session.id, OPTIONS);
    expect((await again.append(finished))[0]).toEqual(receipt);
    await again.close('exit');
    expect((await eventsOf(store, 'notes')).filter(({ id }) => id === 'k')).toHaveLength(1);
  });

  it('knows its events after it was reopened', async () => {
    const { session, store } = await begun();
    await session.append(said('user', 'another', 2));
    await session.close('exit');
    const again = await openSession(store, session.id, OPTIONS);
    await again.append([said('user', 'and another', 3), event.moved(4)]);
    await expect(again.append(said('user', 'too far', 5))).rejects.toMatchObject({ code: 'EVENT_DANGLING' });
    await again.close('exit');
  });
});
