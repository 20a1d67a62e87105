import { createReplayer } from '../../lib/projections/replayer.ts';
import { excerptOf, nameOf, summaryFold } from '../../lib/projections/summary.ts';
import { event, stored } from '../support/event-list.ts';

function summaryOf(...events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ summary: summaryFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.summary;
}

const started = { type: 'turn.started', data: { input: 'x' }, turn: 3 } as const;
const ended = { type: 'turn.ended', data: { status: 'completed', steps: 1, durationMs: 1 }, turn: 3 } as const;
const closed = { type: 'session.closed', data: { reason: 'exit' } } as const;

describe('the summary of a session', () => {
  it('has its model, its length, and the last message', () => {
    const parent = { sessionId: 'p', seq: 3, xxh64: '0000000000000000' };
    const row = summaryOf(
      event.created({ title: 'T', parent, cwd: '/here' }),
      event.said('user', 'first'),
      event.said('assistant', '  last\n words '),
    );
    expect(row).toMatchObject({
      id: '00000000-0000-4000-8000-000000000001',
      title: 'T',
      startTime: '2026-01-01T00:00:00.000Z',
      lastActivity: '2026-01-01T00:00:02.000Z',
      messageCount: 2,
      turnCount: 1,
      lastMessage: { role: 'assistant', excerpt: 'last words' },
      parent,
      cwd: '/here',
    });
  });

  it('reports a turn that has not ended, and whether the last writer closed', () => {
    expect(summaryOf(event.created(), started)).toMatchObject({ openTurn: 3, closed: false });
    expect(summaryOf(event.created(), started, ended, closed)).toMatchObject({ closed: true });
    expect(summaryOf(event.created(), started, ended, closed).openTurn).toBeUndefined();
    expect(summaryOf(event.created(), closed, event.said('user', 'x')).closed).toBe(false);
  });

  it("is titled by its title, or by the user's first message in its newest form", () => {
    const injected = { type: 'message.added', data: { ...event.said('user', 'rules').data, synthetic: true } } as const;
    const first = { type: 'message.added', data: { ...event.said('user', 'my key').data, message: 'm1' } } as const;
    const spoken = [event.created(), injected, first, event.said('user', 'second'), event.said('assistant', 'last')];
    const replaced = {
      type: 'message.replaced',
      data: { message: 'm1', parts: [{ type: 'text', text: 'x' }] },
    } as const;
    const titled = { type: 'session.titled', data: { title: 'T', by: 'user' } } as const;
    expect(nameOf(summaryOf(...spoken))).toBe('my key');
    expect(nameOf(summaryOf(...spoken, replaced))).toBe('x');
    expect(nameOf(summaryOf(...spoken, titled))).toBe('T');
    expect(nameOf(summaryOf(event.created(), event.said('assistant', 'hello')))).toBe('hello');
    expect(nameOf(summaryOf(event.created()))).toBeUndefined();
  });

  it('is reverted by an undo', () => {
    const row = summaryOf(event.created(), event.said('user', 'kept'), event.said('user', 'undone'), event.moved(1));
    expect(row).toMatchObject({ messageCount: 1, turnCount: 1, tokenCount: 4, lastMessage: { excerpt: 'kept' } });
  });

  it.each([
    ['the text of several parts', ['one', ' two\n'], 'one two'],
    ['no blanks before the first word', [`${' '.repeat(300)}word`], 'word'],
    ['one blank between two words', ['a \u3000\n b'], 'a b'],
    ['79 characters and a sign that more follows', ['a'.repeat(81)], `${'a'.repeat(79)}…`],
    ['a text of 80 characters whole', ['a'.repeat(80)], 'a'.repeat(80)],
    ['nothing if nothing was said', [''], ''],
  ])('keeps %s', (_, texts, expected) => {
    expect(excerptOf(texts.map((text) => ({ type: 'text', text })))).toBe(expected);
  });

  it('cuts a long message without splitting a character', () => {
    const excerpt = excerptOf([{ type: 'text', text: '😀'.repeat(200) }]);
    expect(excerpt).toBe(`${'😀'.repeat(39)}…`);
  });
});

it.each([
  ['system', undefined],
  ['user', undefined],
  ['assistant', 'Hello.'],
] as const)(
  'a session with no title and no prompt is not titled after a message in the role %s, unless a model wrote it',
  (role, name) => {
    expect(nameOf({ lastMessage: { role, excerpt: 'Hello.' } })).toBe(name);
  },
);
