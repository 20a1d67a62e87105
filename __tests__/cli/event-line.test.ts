import { eventLine } from '../../lib/cli/event-line.ts';
import type { SessionEvent } from '../../lib/journal/types.ts';

const plain = (text: string) => text;
const colors = new Proxy({}, { get: () => plain }) as Parameters<typeof eventLine>[1]['colors'];

function event(type: string, data: object): SessionEvent {
  return { seq: 7, ts: '2026-01-01T00:00:00.000Z', type, data: { ...data }, position: undefined };
}

const parts = [{ type: 'text', text: `${'long '.repeat(40)}end` }];

it('a streamed part of an answer is shown whole on a narrow terminal, where a message is cut', () => {
  const narrow = { colors, width: 60 };
  expect(eventLine(event('message.streamed', { parts }), narrow)).toContain('long end');
  const line = eventLine(event('message.added', { role: 'assistant', parts }), narrow);
  expect(line).not.toContain('end');
  expect(line.length).toBeLessThanOrEqual(60);
});

it('a refused prompt is shown with its reason, apart from prompts that were removed', () => {
  const errors = [{ promptId: 'p', code: 'POLICY_DENIED', message: 'The file is outside' }];
  const line = eventLine(event('queue.changed', { removed: ['p', 'q'], errors }), { colors, width: 120 });
  expect(line).toContain('not asked: The file is outside, 1 taken out');
});
