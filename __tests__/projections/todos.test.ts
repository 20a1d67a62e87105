// The to-do list of the view: the newest list that was not undone, also after trimming.
import fc from 'fast-check';
import { createReplayer, trimStates } from '../../lib/projections/replayer.ts';
import { todosNow, viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, stored } from '../support/event-list.ts';

const list = (content: string) => [
  event.asked(content, 'todo_write', { todos: [{ content, status: 'pending' }] }),
  event.finished(content),
];

function viewAfter(events: Parameters<typeof stored>[0], { trims = false } = {}) {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) {
    replayer.see(one);
    if (trims) trimStates({ view: viewFold }, replayer.states, 10);
  }
  return replayer.states.view;
}

const contents = (events: Parameters<typeof stored>[0]) =>
  todosNow(viewAfter([event.created(), ...events])).map(({ content }) => content);

it('the to-do list is the one written last', () => {
  expect(contents([])).toEqual([]);
  expect(contents([...list('a'), ...list('b')])).toEqual(['b']);
});

it('the to-do list is reverted by an undo, and comes back with a move to its branch', () => {
  const undone = [event.said('user', 'x'), ...list('a'), ...list('b'), event.moved(3)];
  expect(contents(undone)).toEqual(['a']);
  expect(contents([...undone, event.moved(5)])).toEqual(['b']);
  expect(contents([...undone, event.moved(1)])).toEqual([]);
});

it('the to-do list survives a compaction', () => {
  expect(contents([event.said('user', 'x'), ...list('a'), event.compacted(0, 3, 'Earlier.')])).toEqual(['a']);
});

it('the to-do list ignores a call that failed, was denied, or has no result', () => {
  const [asked] = list('b');
  for (const status of ['error', 'denied', 'unknown'] as const)
    expect(contents([...list('a'), asked!, event.finished('b', '', { status })])).toEqual(['a']);
  expect(contents([...list('a'), asked!])).toEqual(['a']);
});

it('the to-do list follows the order of the calls, not of their results', () => {
  const [[askedA, finishedA], [askedB, finishedB]] = [list('a'), list('b')];
  expect(contents([askedA!, askedB!, finishedB!, finishedA!])).toEqual(['b']);
});

it('the to-do list ignores invalid arguments, and cuts long ones', () => {
  const hostile = (todos: unknown) => [event.asked('h', 'todo_write', { todos }), event.finished('h')];
  for (const todos of ['x', null, 7, { length: 3 }]) expect(contents([...list('a'), ...hostile(todos)])).toEqual(['a']);
  expect(
    contents(hostile([null, 'x', { content: 7 }, { content: ' \n ' }, { content: 'a\n  b', status: 'x' }])),
  ).toEqual(['a b']);
  const [long = ''] = contents(hostile([{ content: '🦊'.repeat(500), status: 'pending' }]));
  expect(long.length).toBeLessThanOrEqual(200);
  expect(long.isWellFormed()).toBe(true);
  expect(contents(hostile(Array(5000).fill({ content: 'x', status: 'pending' })))).toHaveLength(50);
});

it('the to-do list stays equal after older lists were trimmed, or the journal must be read again', () => {
  fc.assert(
    fc.property(arbitrarySession({ maxLength: 200 }), (events) => {
      const trimmed = viewAfter(events, { trims: true });
      expect(trimmed.todos?.lists.length ?? 0).toBeLessThanOrEqual(21);
      if (!trimmed.timeline.incomplete) expect(todosNow(trimmed)).toEqual(todosNow(viewAfter(events)));
    }),
    { numRuns: 200 },
  );
});

it('an undo to before the kept lists reads the journal', () => {
  const many = Array.from({ length: 40 }, (_, index) => list(String(index))).flat();
  const events = [event.created(), event.said('user', 'x'), ...many];
  const timelineAfter = (head: number) => viewAfter([...events, event.moved(head)], { trims: true }).timeline;
  expect(timelineAfter(5).incomplete).toBe(true);
  expect(todosNow(viewAfter([...events, event.moved(79)], { trims: true })).at(0)?.content).toBe('38');
});
