import { MessageQueue } from '../../lib/repl/queue.ts';

const message = (text: string) => ({ type: 'message', text, typed: text }) as const;
const textsOf = (queue: MessageQueue) => queue.entries.map((entered) => 'text' in entered && entered.text);

function queueOf(...texts: readonly string[]): MessageQueue {
  const queue = new MessageQueue();
  for (const text of texts) queue.add(message(text));
  return queue;
}

describe('what was entered while something ran', () => {
  it('comes in its order when the turn is completed', () => {
    const queue = queueOf('one', 'two');
    queue.endTurn({ isCompleted: true });
    expect([queue.take(), queue.take(), queue.take()]).toEqual([message('one'), message('two'), undefined]);
  });

  it('waits after a turn that was cancelled or failed, until the user lets it continue', () => {
    const queue = queueOf('one');
    queue.endTurn({ isCompleted: false });
    expect([queue.isResting, queue.take()]).toEqual([true, undefined]);
    queue.resume();
    expect([queue.isResting, queue.take()]).toEqual([false, message('one')]);
  });

  it('does not wait where nothing was entered: what comes next is taken', () => {
    const queue = queueOf();
    queue.endTurn({ isCompleted: false });
    queue.add(message('later'));
    expect(queue.take()).toEqual(message('later'));
  });

  it('begins with what was to steer the turn and was not taken', () => {
    const queue = queueOf('later');
    queue.steer({ text: 'now', typed: 'now' });
    expect(queue.takeSteering()).toHaveLength(1);
    queue.steer({ text: 'too late', typed: 'too late' });
    queue.endTurn({ isCompleted: true });
    expect(textsOf(queue)).toEqual(['too late', 'later']);
    expect(queue.steering).toEqual([]);
  });

  it('loses one message by its number, or all', () => {
    const queue = queueOf('one', 'two', 'three');
    expect([queue.remove(2), queue.remove(3), queue.remove(0)]).toEqual([message('two'), undefined, undefined]);
    expect(textsOf(queue)).toEqual(['one', 'three']);
    queue.clear();
    expect(queue.take()).toBeUndefined();
  });

  it('is kept while it waits, each by its id, and forgotten where it is taken out and not where it is sent', () => {
    const queue = new MessageQueue();
    const removed: (readonly string[])[] = [];
    let count = 0;
    queue.keepIn({ added: () => `id-${++count}`, removed: (ids) => removed.push(ids) });
    queue.add(message('one'));
    queue.add({ type: 'command', text: '/usage' });
    queue.add(message('two'));
    queue.steer({ text: 'now', typed: 'now' });
    expect(queue.takeSteering()).toMatchObject([{ promptId: 'id-3' }]);
    expect(queue.take()).toMatchObject({ promptId: 'id-1' });
    expect(removed).toEqual([]);
    queue.clear();
    expect(removed).toEqual([['id-2']]);
  });

  it('of an earlier run comes first and waits for the user, also after a turn that was completed', () => {
    const queue = queueOf('new');
    queue.offer([{ promptId: 'a', text: 'old' }]);
    queue.endTurn({ isCompleted: true });
    expect([queue.isResting, queue.take()]).toEqual([true, undefined]);
    queue.resume();
    expect(queue.take()).toMatchObject({ text: 'old', promptId: 'a' });
    expect(queue.take()).toMatchObject({ text: 'new' });
  });
});
