import { LiveText } from '../../../lib/host/following/live-text.ts';
import type { SessionEvent } from '../../../lib/journal/types.ts';

function event(type: string, data: object): SessionEvent {
  return { seq: 1, ts: '2026-01-01T00:00:00.000Z', type, turn: 1, data: { ...data }, position: undefined };
}

it('a subscriber in the middle of an answer gets its text once, also if pieces of it are stored', () => {
  const text = new LiveText();
  const parts = [{ type: 'text', text: 'One ' }];
  text.hear({ type: 'turn', promptId: 'p', signal: { type: 'delta', content: 'One ' } } as never);
  text.see(event('message.streamed', { parts }));
  text.hear({ type: 'turn', promptId: 'p', signal: { type: 'delta', content: 'two.' } } as never);
  expect(JSON.parse(text.read('s')!)).toMatchObject({ text: 'One two.' });
  text.see(event('message.added', { role: 'assistant', parts }));
  expect(text.read('s')).toBeUndefined();
});
