import type { EventType } from '../../lib/events/index.ts';
import { validateEvent } from '../../lib/events/validate.ts';

const tokens = { count: 1, method: 'counted' };
const message = { role: 'user', parts: [{ type: 'text', text: 'x' }], tokens, trusted: true };

describe('validateEvent', () => {
  it('accepts matching data', () => {
    expect(validateEvent('message.added', message)).toEqual([]);
  });

  it.each<[EventType, unknown, string]>([
    ['message.added', { ...message, role: 'tool' }, '/role must be one of: system, user, assistant.'],
    ['message.added', { ...message, parts: [{ type: 'text' }] }, '/parts/0/text is missing.'],
    ['message.added', { ...message, parts: 'hello' }, '/parts must be an array.'],
    ['message.added', { ...message, parts: [null] }, '/parts/0 must be an object.'],
    ['message.added', { ...message, parts: ['hello'] }, '/parts/0 must be an object.'],
    [
      'message.added',
      { ...message, parts: [{ type: 'video' }] },
      '/parts/0/type must be one of the types that there are, not "video".',
    ],
    ['message.added', { ...message, tokens: { count: -1, method: 'counted' } }, '/tokens/count must be >= 0.'],
    ['tool.requested', { callId: '', name: 'n', args: {} }, '/callId must not be empty.'],
    ['retrieval.added', { query: '', chunks: [], trusted: true }, '/trusted must be false.'],
    ['session.titled', 'no object', 'data must be an object.'],
  ])('explains the fault of %s', (type, data, sentence) => {
    expect(validateEvent(type, data).map((problem) => problem.message)).toEqual([sentence]);
  });

  it('points to the member by a JSON pointer', () => {
    expect(validateEvent('session.titled', { title: 4 })[0]?.path).toBe('/title');
  });
});
