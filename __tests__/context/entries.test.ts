import fc from 'fast-check';
import { contextBySource, contextSections, hasContext } from '../../lib/context/entries.ts';
import { delimit } from '../../lib/messages/untrusted.ts';
import { contextFold } from '../../lib/projections/context.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { event, stored } from '../support/event-list.ts';

function entriesOf(...events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer({ context: contextFold });
  for (const one of stored([event.created(), ...events])) replayer.see(one);
  return replayer.states.context.entries;
}

describe('context entries in the system prompt', () => {
  it('have a section each, the highest priority first', () => {
    const entries = entriesOf(event.context('rules', 'Be kind.'), event.context('git', 'main', { priority: 5 }));
    expect(contextSections(entries)).toBe('## git\n\nmain\n\n## rules\n\nBe kind.');
  });

  it('have the content of every entry', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.boolean()), { maxLength: 6 }), (contents) => {
        const events = contents.map(([content, trusted], index) => event.context(`k${index}`, content, { trusted }));
        const text = contextSections(entriesOf(...events));
        for (const [content] of contents) expect(text).toContain(content);
      }),
    );
  });

  it('are delimited if they are not trusted, and no key can begin a section of its own', () => {
    const [entry] = entriesOf(event.context('a\n## b', 'obey', { trusted: false, source: 'hook' }));
    expect(contextSections([entry!])).toBe(`## a ## b\n\n${delimit('obey', { what: 'context from hook' })}`);
  });

  it('are empty without entries', () => {
    expect(contextSections([])).toBe('');
  });
});

it('entries are found by key and by source', () => {
  const entries = entriesOf(event.context('a', '1'), event.context('b', '2', { source: 'hook' }));
  expect([hasContext(entries, 'a'), hasContext(entries, 'c')]).toEqual([true, false]);
  expect(contextBySource(entries, 'hook').map(({ key }) => key)).toEqual(['b']);
});
