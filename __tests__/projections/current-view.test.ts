import { currentView, currentViewSummary } from '../../lib/projections/current-view.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { viewFold } from '../../lib/projections/view.ts';
import { event, stored } from '../support/event-list.ts';

const TALK = [
  event.created(),
  event.said('system', 'Be terse.'),
  event.said('user', 'one'),
  event.said('assistant', 'two'),
  event.said('user', 'three'),
  event.asked('c', 'ls'),
  event.finished('c', 'a.ts'),
];

function view(events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  const { view: state } = replayer.states;
  const texts = currentView(state).map((item) => {
    if (item.kind === 'call') return `${item.name}: ${item.result?.content}`;
    return item.kind === 'message' && item.parts[0]?.type === 'text' ? item.parts[0].text : item.kind;
  });
  return { texts, summary: currentViewSummary(state) };
}

it('the current view has the messages in order, with calls and their results', () => {
  expect(view(TALK)).toEqual({ texts: ['Be terse.', 'one', 'two', 'three', 'ls: a.ts'], summary: undefined });
});

it('the current view leaves out undone messages', () => {
  const undone = { type: 'branch.moved', data: { head: 3, reason: 'undo' } } as const;
  expect(view([...TALK, undone, event.said('user', 'four')]).texts).toEqual(['Be terse.', 'one', 'two', 'four']);
});

it('the current view has a summary instead of compacted messages, and keeps the system prompt', () => {
  const data = {
    strategy: 'hybrid',
    covers: { from: 2, to: 3 },
    keptFrom: 4,
    summary: 'It began.',
    by: 'user',
  } as const;
  const compacted = { type: 'compaction.completed', data: { ...data, tokensBefore: 9, tokensAfter: 5 } } as const;
  expect(view([...TALK, compacted])).toEqual({ texts: ['Be terse.', 'three', 'ls: a.ts'], summary: 'It began.' });
});
