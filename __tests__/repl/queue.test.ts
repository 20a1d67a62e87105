import { MessageQueue } from '../../lib/repl/queue.ts';

const message = (text: string) => ({ type: 'message', text, typed: text }) as const;
const textsOf = (queue: MessageQueue) => queue.entries.map((entered) => 'text' in entered && entered.text);

function queueOf(...texts: readonly string[]): MessageQueue {
  const queue = new MessageQueue();
  for (const text of texts) queue.add(message(text));
  return queue;
}

describe('the queue of entered messages', () => {
  it('is taken in order after a completed turn', () => {
    const queue = queueOf('one', 'two');
    queue.endTurn({ isCompleted: true });
    expect([queue.take(), queue.take(), queue.take()]).toEqual([message('one'), message('two'), undefined]);
  });

  it('rests after a cancelled or failed turn, until the user lets it continue', () => {
    const queue = queueOf('one');
    queue.endTurn({ isCompleted: false });
    expect([queue.isResting, queue.take()]).toEqual([true, undefined]);
    queue.resume();
    expect([queue.isResting, queue.take()]).toEqual([false, message('one')]);
  });

  it('does not rest if it was empty, and gives the next message immediately', () => {
    const queue = queueOf();
    queue.endTurn({ isCompleted: false });
    queue.add(message('later'));
    expect(queue.take()).toEqual(message('later'));
  });

  it('begins with messages that were to steer the turn and came too late', () => {
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

  it('is stored message by message, and records removed messages but not sent ones', () => {
    const { queue, prompts, removed } = keptQueue();
    queue.add(message('one'));
    queue.add({ type: 'command', text: '/usage' });
    queue.add(message('two'));
    queue.steer({ text: 'now', typed: 'now' });
    expect(queue.takeSteering()).toMatchObject([{ promptId: 'id-3' }]);
    expect(queue.take()).toMatchObject({ promptId: 'id-1' });
    expect(removed).toEqual([]);
    queue.clear();
    expect(removed).toEqual(['id-2']);
    expect(prompts.map(({ promptId }) => promptId)).toEqual(['id-1', 'id-3']);
  });

  it('begins with messages of an earlier run, and rests until the user continues, also after a completed turn', () => {
    const { queue } = keptQueue('a');
    queue.add(message('new'));
    queue.offer([{ promptId: 'a', text: 'old' }]);
    queue.endTurn({ isCompleted: true });
    expect([queue.isResting, queue.take()]).toEqual([true, undefined]);
    queue.resume();
    expect(queue.take()).toMatchObject({ text: 'old', promptId: 'a' });
    expect(queue.take()).toMatchObject({ text: 'new' });
  });

  it('has its messages in the order of the journal, each command after its message, and waits for slow appends', () => {
    const { queue, prompts } = keptQueue('a', 'b');
    queue.offer([
      { promptId: 'a', text: 'first' },
      { promptId: 'b', text: 'second' },
    ]);
    queue.add({ type: 'command', text: '/usage' });
    queue.add(message('third'));
    const stored = prompts.pop()!;
    expect(textsOf(queue)).toEqual(['first', 'second', '/usage', 'third']);
    prompts.push(stored);
    expect(textsOf(queue)).toEqual(['first', 'second', '/usage', 'third']);
    queue.remove(2);
    expect(textsOf(queue)).toEqual(['first', '/usage', 'third']);
    prompts.reverse();
    expect(textsOf(queue)).toEqual(['third', 'first', '/usage']);
    prompts.reverse();
    // What another process took out is not sent here.
    prompts.pop();
    expect(textsOf(queue)).toEqual(['first', '/usage']);
  });
});

/** A queue whose messages are kept, with those of an earlier run. */
function keptQueue(...earlier: readonly string[]) {
  const prompts = earlier.map((promptId) => ({ promptId }));
  const removed: string[] = [];
  let count = 0;
  const queue = new MessageQueue();
  queue.keepIn({
    prompts: () => prompts,
    added() {
      count += 1;
      prompts.push({ promptId: `id-${count}` });
      return `id-${count}`;
    },
    removed(ids) {
      removed.push(...ids);
      prompts.splice(0, prompts.length, ...prompts.filter(({ promptId }) => !ids.includes(promptId)));
    },
  });
  return { queue, prompts, removed };
}
