import fc from 'fast-check';
import { contextFold } from '../../lib/projections/context.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { event, stored } from '../support/event-list.ts';

function entriesOf(...events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ context: contextFold });
  for (const one of stored([event.created(), ...events])) replayer.see(one);
  return replayer.states.context.entries;
}
const keysOf = (...events: Parameters<typeof stored>[0]) => entriesOf(...events).map(({ key }) => key);

describe('context entries', () => {
  it('are sorted by priority, equal ones by insertion', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 12 }), (priorities) => {
        const events = priorities.map((priority, index) => event.context(`k${index}`, '', { priority }));
        const expected = priorities
          .map((priority, index) => ({ key: `k${index}`, priority }))
          .sort((left, right) => right.priority - left.priority);
        expect(keysOf(...events)).toEqual(expected.map(({ key }) => key));
      }),
    );
  });

  it('are replaced in their place, and move when their priority changes', () => {
    const list = [event.context('a', '1'), event.context('b', '2'), event.context('c', '3')];
    expect(entriesOf(...list, event.context('a', 'new')).map(({ content }) => content)).toEqual(['new', '2', '3']);
    expect(keysOf(...list, event.context('c', '3', { priority: 1 }))).toEqual(['c', 'a', 'b']);
  });

  it('are removed one by one, or all together', () => {
    const list = [event.context('a', '1'), event.context('b', '2')];
    expect(keysOf(...list, { type: 'context.removed', data: { key: 'a', reason: 'user' } })).toEqual(['b']);
    expect(keysOf(...list, { type: 'context.cleared', data: {} })).toEqual([]);
  });

  it('are removed with the first event that is not before their expiry, of any type', () => {
    const expiring = event.context('a', '1', { expiresAt: '2026-01-01T01:00:03+01:00' });
    const other = { type: 'plugin.noted', data: {} };
    expect(keysOf(expiring, other)).toEqual(['a']);
    expect(keysOf(expiring, other, other)).toEqual([]);
  });

  it('stay if their expiry is not a time', () => {
    expect(keysOf(event.context('a', '1', { expiresAt: 'soon' }), event.context('b', '2'))).toEqual(['a', 'b']);
  });

  it('stay when the conversation is undone', () => {
    expect(keysOf(event.context('a', '1'), event.moved(0))).toEqual(['a']);
  });
});
