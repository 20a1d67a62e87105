import fc from 'fast-check';
import { queueFold } from '../../lib/projections/queue.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { event, stored } from '../support/event-list.ts';

type Events = Parameters<typeof stored>[0];

const prompt = (promptId: string, text = promptId) => ({ promptId, text, queuedAt: '2026-01-01T00:00:00.000Z' });
const added = (...prompts: ReturnType<typeof prompt>[]) => ({ type: 'queue.changed', data: { added: prompts } });
const removed = (...promptIds: string[]) => ({ type: 'queue.changed', data: { removed: promptIds } });
const said = (promptId?: string) => ({
  type: 'message.added',
  data: { role: 'user', parts: [{ type: 'text', text: 'x' }], trusted: true, promptId },
});

function waiting(events: Events): readonly { promptId: string; text: string }[] {
  const replayer = createReplayer({ queue: queueFold });
  for (const one of stored([event.created(), ...events])) replayer.see(one);
  return replayer.states.queue.prompts;
}
const idsOf = (...events: Events) => waiting(events).map(({ promptId }) => promptId);

describe('queued prompts', () => {
  it('wait in their order, and a changed one keeps its place', () => {
    const events = [added(prompt('a')), added(prompt('b'), prompt('c')), added(prompt('b', 'another text'))];
    expect(waiting(events).map(({ promptId, text }) => [promptId, text])).toEqual([
      ['a', 'a'],
      ['b', 'another text'],
      ['c', 'c'],
    ]);
  });

  it('leave when they are removed, or become a message', () => {
    const list = added(prompt('a'), prompt('b'), prompt('c'));
    expect(idsOf(list, removed('b'))).toEqual(['a', 'c']);
    expect(idsOf(list, said('a'))).toEqual(['b', 'c']);
    expect(idsOf(list, said())).toEqual(['a', 'b', 'c']);
    expect(idsOf(list, removed('none'), said('none'))).toEqual(['a', 'b', 'c']);
  });

  it('stay when the conversation is undone', () => {
    expect(idsOf(added(prompt('a')), event.moved(0))).toEqual(['a']);
  });

  it('are those added last and neither removed nor asked since, after any events', () => {
    const change = fc.oneof(
      fc.nat(5).map((id) => ({ kind: 'add', id: `p${id}` }) as const),
      fc.nat(5).map((id) => ({ kind: 'remove', id: `p${id}` }) as const),
      fc.nat(5).map((id) => ({ kind: 'say', id: `p${id}` }) as const),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const expected = new Set<string>();
        for (const { kind, id } of changes) {
          if (kind === 'add') expected.add(id);
          else expected.delete(id);
        }
        const eventOf = { add: (id: string) => added(prompt(id)), remove: removed, say: said };
        expect(idsOf(...changes.map(({ kind, id }) => eventOf[kind](id)))).toEqual([...expected]);
      }),
    );
  });
});
