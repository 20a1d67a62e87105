import type { NewOllmEvent, OllmEvent } from '../../lib/events/index.ts';
import {
  addEvent,
  type ConversationItem,
  emptyConversation,
  finishOf,
  partsOf,
  takeSettled,
} from '../../lib/projections/conversation.ts';
import { event, stored } from '../support/event-list.ts';

const conversationOf = (...events: NewOllmEvent[]) => {
  const conversation = emptyConversation();
  for (const one of stored(events)) addEvent(conversation, one as unknown as OllmEvent);
  return conversation;
};
const shape = (items: readonly ConversationItem[]) => items.map(({ kind, seq }) => `${kind} ${seq}`);
const started: NewOllmEvent = { type: 'turn.started', turn: 1, data: { input: 'x' } };
const ended: NewOllmEvent = { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 1 } };
const piece = (text: string, more: object = {}) => event.said('assistant', text, { message: 'm', ...more });

describe('a conversation', () => {
  it('has one message for consecutive pieces, which ends with its last piece', () => {
    const { items } = conversationOf(piece('a'), piece('b', { finish: 'length' }));
    expect(shape(items)).toEqual(['message 0']);
    const message = items[0];
    if (message?.kind !== 'message') throw new Error('no message');
    expect(partsOf(message)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    expect(finishOf(message)).toBe('length');
  });

  it('shows a piece after a call in its place, as more of its message', () => {
    const { items } = conversationOf(piece('a'), event.asked('c'), event.finished('c'), piece('b'));
    expect(items).toMatchObject([
      { kind: 'message', continues: undefined },
      { kind: 'call' },
      { kind: 'message', seq: 3, continues: 0 },
    ]);
  });

  it('begins a new message after a prompt, after an undo, and in a different role', () => {
    expect(conversationOf(piece('a'), event.said('user', 'b'), piece('c')).items.at(-1)).toMatchObject({
      continues: undefined,
    });
    const undone = conversationOf(event.said('user', 'a'), piece('b'), event.moved(0), piece('c'));
    expect(undone.items.at(-1)).toMatchObject({ seq: 3, continues: undefined });
    expect(conversationOf(piece('a'), event.said('system', 'b', { message: 'm' })).items).toHaveLength(2);
  });

  it('keeps an undone piece apart from the valid pieces', () => {
    const conversation = emptyConversation();
    for (const one of stored([piece('a'), piece('b')]))
      addEvent(conversation, one as unknown as OllmEvent, (seq) => seq === 1);
    expect(conversation.items).toMatchObject([{ undone: false }, { undone: true, continues: 0 }]);
  });

  it('names the message that a later form replaced, and nothing if it does not exist', () => {
    const replaced: NewOllmEvent = { type: 'message.replaced', data: { message: 'm', parts: [] } };
    expect(conversationOf(piece('a'), piece('b'), replaced).items).toMatchObject([
      { kind: 'message' },
      { kind: 'replaced', of: 0 },
    ]);
    expect(conversationOf(replaced).items).toMatchObject([{ kind: 'replaced', of: undefined }]);
  });

  it('assigns an end to the newest open call with its id', () => {
    const { items } = conversationOf(
      event.asked('c'),
      event.asked('c'),
      event.finished('c', 'b'),
      event.finished('c', 'a'),
    );
    expect(items).toMatchObject([{ end: { result: { llmContent: 'a' } } }, { end: { result: { llmContent: 'b' } } }]);
  });

  it('shows an end after the end of its turn as a part of that call', () => {
    const { items } = conversationOf(started, event.asked('c', 'slow'), ended, event.finished('c', 'late'));
    expect(shape(items)).toEqual(['turn 0', 'call 1', 'fact 2', 'call 1']);
    expect(items[1]).not.toHaveProperty('end');
    expect(items[3]).toMatchObject({ request: { name: 'slow' }, end: { result: { llmContent: 'late' } } });
  });

  it('begins a call with its first event if its request is missing', () => {
    const decided: NewOllmEvent = { type: 'tool.decided', data: { callId: 'c', decision: 'allow', by: 'user' } };
    expect(conversationOf(decided, event.finished('c')).items).toMatchObject([
      { kind: 'call', seq: 0, request: undefined, decision: { by: 'user' }, end: { seq: 1 } },
    ]);
    expect(conversationOf(event.finished('c'), event.finished('c')).items).toHaveLength(2);
  });

  it('has the requests, the cost and the end of a turn', () => {
    const { items } = conversationOf(started, event.used(1, 1, { totalCost: 0.25 }), event.used(1, 1), ended);
    expect(items[0]).toMatchObject({ requests: 2, cost: 0.25, end: { status: 'completed' } });
  });

  it('removes an undone compaction, but not if the undo was itself undone', () => {
    const events = stored([event.said('user', 'a'), event.compacted(0, 0, 's'), event.uncompacted(1)]);
    for (const isUndone of [false, true]) {
      const conversation = emptyConversation();
      for (const one of events) addEvent(conversation, one as unknown as OllmEvent, (seq) => isUndone && seq === 2);
      expect(conversation.items[1]).toMatchObject({ isTakenBack: !isUndone });
    }
  });
});

describe('the settled items of a conversation', () => {
  const taken = (...events: NewOllmEvent[]) => shape(takeSettled(conversationOf(...events)));

  it('end before a call without an end, and before a message that may continue', () => {
    expect(taken(event.said('user', 'a'), event.asked('c'), event.asked('d'), event.finished('d'))).toEqual([
      'message 0',
    ]);
    expect(taken(event.asked('c'), event.finished('c'), piece('a'))).toEqual(['call 0']);
    expect(taken(started, event.asked('c'), ended)).toEqual(['turn 0', 'call 1', 'fact 2']);
  });

  it('do not wait for a call longer than 256 later items, or 256 later calls', () => {
    const facts = Array.from({ length: 255 }, () => event.context('k', 'v'));
    expect(taken(event.asked('c'), ...facts)).toHaveLength(0);
    expect(taken(event.asked('c'), ...facts, event.context('k', 'v'))).toHaveLength(257);
    const calls = Array.from({ length: 257 }, (_, index) => event.asked(`c${index}`));
    expect(taken(...calls)).toEqual(['call 0']);
  });

  it('are all items at the end of the events, each once', () => {
    const conversation = conversationOf(event.said('user', 'a'), event.asked('c'), event.said('assistant', 'b'));
    const first = takeSettled(conversation);
    expect(shape([...first, ...takeSettled(conversation, { all: true })])).toEqual([
      'message 0',
      'call 1',
      'message 2',
    ]);
    expect(takeSettled(conversation, { all: true })).toEqual([]);
  });
});
