import { findMessage } from '../../../../lib/app/sessions/read/find-message.ts';
import { searchHistory } from '../../../../lib/app/sessions/read/search-history.ts';
import type { NewOllmEvent } from '../../../../lib/events/index.ts';
import { memoryWorld } from '../../../session/world.ts';
import { event } from '../../../support/event-list.ts';

const replaced = (message: string, text: string): NewOllmEvent => ({
  type: 'message.replaced',
  data: { message, parts: [{ type: 'text', text }] },
});

/** seq 1 to 9. */
async function world() {
  const { store, create } = memoryWorld();
  const session = await create();
  await session.append([
    event.said('user', 'Which port?'),
    event.said('assistant', 'First words', { message: 'm' }),
    { type: 'tool.requested', data: { callId: 'c', name: 'file_read', args: {} } },
    event.said('assistant', 'more words', { message: 'm' }),
    event.said('user', 'And which colour?', { message: 'q' }),
    event.said('user', 'Of the sky', { message: 'q' }),
    event.said('assistant', 'another answer', { message: 'm' }),
    replaced('m', 'the later form'),
    event.said('assistant', 'the end'),
  ]);
  return { store, id: session.id, found: async (seq: number) => (await findMessage(store, session.id, seq))?.text };
}

describe('a message by the number of its event', () => {
  it('is whole, by the number of any of its pieces', async () => {
    const { found } = await world();
    expect([await found(2), await found(4)]).toEqual(Array(2).fill('First words\nmore words'));
    expect([await found(5), await found(6)]).toEqual(Array(2).fill('And which colour?\nOf the sky'));
    expect(await found(1)).toBe('Which port?');
    expect(await found(9)).toBe('the end');
  });

  it('is whole at the end of a long journal, with pieces of any length', async () => {
    const { store, create } = memoryWorld();
    const session = await create();
    const long = Array.from({ length: 3000 }, () => event.said('user', 'x'.repeat(200)));
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000));
    const pieces = texts.map((text) => event.said('user', text, { message: 'q' }));
    const place = (await session.append([...long, ...pieces])).at(-1)!;
    expect((await findMessage(store, session.id, place.seq))?.text === texts.join('\n')).toBe(true);
  });

  it('is shown in its replacing form', async () => {
    const { found } = await world();
    expect(await found(7)).toBe('the later form');
  });

  it('is not found at an event that is not a message', async () => {
    const { found } = await world();
    expect([await found(0), await found(3), await found(8), await found(10)]).toEqual(Array(4).fill(undefined));
  });
});

describe('messages by their words', () => {
  it('are found once for all of their pieces, and only by their newest form', async () => {
    const { store, id } = await world();
    const found = async (...words: string[]) => (await searchHistory(store, id, words)).map(({ seq }) => seq);
    expect(await found('words')).toEqual([2]);
    expect(await found('sky', 'port')).toEqual([5, 1]);
    expect(await found('later')).toEqual([7]);
    expect(await found('another')).toEqual([]);
  });
});
