import fc from 'fast-check';
import { pastMessages, textOf } from '../../../lib/app/tools/past-messages.ts';
import type { NewOllmEvent } from '../../../lib/events/index.ts';
import { memoryWorld } from '../../session/world.ts';

it('attached files and images do not change the text by which a question is distinguished from earlier messages', () => {
  const along = fc.constantFrom({ type: 'file', name: 'README.md' }, { type: 'image', mediaType: 'image/png' });
  fc.assert(
    fc.property(fc.string(), fc.array(along), fc.array(along), (text, before, after) => {
      expect(textOf([...before, { type: 'text', text }, ...after])).toBe(text);
    }),
  );
});

it('messages that were stored in pieces are found as one, and each in its newest form', async () => {
  const { store, create } = memoryWorld();
  const session = await create('notes');
  const said = (role: 'user' | 'assistant', message: string, text: string): NewOllmEvent => ({
    type: 'message.added',
    turn: 1,
    data: { role, message, parts: [{ type: 'text', text }], trusted: false },
  });
  await session.append({ type: 'turn.started', turn: 1, data: { input: 'Where is the harbor?' } });
  await session.append([
    said('user', 'q', 'Where is the harbor?'),
    said('assistant', 'a', 'Behind the dunes,'),
    said('assistant', 'a', 'where the ferry ends.'),
    { type: 'message.replaced', data: { message: 'q', parts: [{ type: 'text', text: 'Where is the harbour?' }] } },
  ]);
  const found = await Array.fromAsync(pastMessages(store, 'notes'));
  expect(found.map(({ role, turn, text }) => `${turn} ${role}: ${text}`)).toEqual([
    '1 user: Where is the harbour?',
    '1 assistant: Behind the dunes,\nwhere the ferry ends.',
  ]);
});
