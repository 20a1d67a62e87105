import type { NewOllmEvent } from '../../lib/events/index.ts';
import { createSession } from '../../lib/library/one-session.ts';
import { eventsOf, memoryWorld, said, typesOf, viewTexts } from './world.ts';

const without = (member: string): NewOllmEvent => {
  const { type, data } = said('user', 'lost?');
  return { type, data: { ...data, [member]: undefined } } as unknown as NewOllmEvent;
};

describe('a session', () => {
  it('refuses an event that no state, view or export would show, with its whole batch', async () => {
    const { create, store } = memoryWorld();
    const session = await create();
    await expect(session.append([said('user', 'one'), without('parts')])).rejects.toMatchObject({
      code: 'EVENT_INVALID',
      message: 'The event message.added is not what its schema says: /parts is missing.',
    });
    expect(await typesOf(store, 'notes')).toEqual(['session.created']);
    await session.append(said('user', 'two'));
    expect(viewTexts(session)).toEqual(['user: two']);
    await session.close('exit');
  });

  it('refuses a second first line', async () => {
    const { create, store } = memoryWorld();
    const session = await create();
    const [first] = await eventsOf(store, 'notes');
    await expect(
      session.append({ type: 'session.created', data: first?.data } as unknown as NewOllmEvent),
    ).rejects.toMatchObject({ code: 'EVENT_INVALID', message: expect.stringContaining('which the journal writes') });
    await session.close('exit');
    expect(await typesOf(store, 'notes')).toEqual(['session.created', 'session.closed']);
  });

  it('takes events of unknown types if they are ignorable, and no others', async () => {
    const { create, store } = memoryWorld();
    const session = await create();
    await session.append({ type: 'plugin.noted', data: { any: 'thing' }, ignorable: true } as unknown as NewOllmEvent);
    await expect(
      session.append({ type: 'plugin.noted', data: { any: 'thing' } } as unknown as NewOllmEvent),
    ).rejects.toMatchObject({ code: 'EVENT_INVALID', message: expect.stringContaining('is not ignorable') });
    await session.close('exit');
    expect((await eventsOf(store, 'notes'))[1]?.data).toEqual({ any: 'thing' });
  });

  it('is created with its provider, model, name and prompt', async () => {
    const { store } = memoryWorld();
    const session = await createSession(store, {
      provider: 'mine',
      model: 'mine-1',
      name: 'notes',
      system: 'Be brief.',
    });
    await session.close('exit');
    expect(await typesOf(store, 'notes')).toEqual(['session.created', 'message.added', 'session.closed']);
  });

  it.each<[string, object, string]>([
    ['no model', { model: undefined }, 'EVENT_INVALID'],
    ['a window of no token', { contextWindow: 0 }, 'EVENT_INVALID'],
    ['a system prompt that is not text', { system: 7 }, 'USAGE'],
  ])('is not created with %s', async (_, wrong, code) => {
    const { store } = memoryWorld();
    const request = { provider: 'mine', model: 'mine-1', name: 'notes', ...wrong };
    await expect(createSession(store, request)).rejects.toMatchObject({ code });
    expect(await store.has('notes')).toBe(false);
  });
});
