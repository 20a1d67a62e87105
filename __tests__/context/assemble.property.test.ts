// What holds for every request, for any session and any window; and that the checks of it would notice.
import fc from 'fast-check';
import { assemble } from '../../lib/context/assemble.ts';
import type { Assembled } from '../../lib/context/assembled.ts';
import { violations } from '../../lib/context/invariants.ts';
import { isOllmError } from '../../lib/errors/index.ts';
import { delimit, ownText } from '../../lib/messages/untrusted.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { countedEntries } from '../../lib/projections/timeline.ts';
import { type ViewState, viewFold } from '../../lib/projections/view.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, stored } from '../support/event-list.ts';

function viewOf(events: Parameters<typeof stored>[0]): ViewState {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.view;
}

function tryToAssemble(view: ViewState, contextWindow: number): Assembled | undefined {
  try {
    return assemble(view, { reserveTokens: 10, contextWindow });
  } catch (error) {
    if (isOllmError(error, 'CONTEXT_TOO_SMALL')) return undefined;
    throw error;
  }
}

/** Texts from outside that are not whole between delimiters with their own label. */
function undelimited({ context }: ViewState, { system, messages, items }: Assembled): readonly string[] {
  const sent = [
    system,
    ...messages.flatMap((message) =>
      message.role === 'tool'
        ? message.results.map(({ content }) => content)
        : message.role === 'context'
          ? [message.text]
          : message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ),
  ];
  const outside = [
    ...context.entries.filter(({ trusted }) => !trusted).map(({ content }) => content),
    ...items.flatMap((item) => {
      if (item.kind === 'retrieval') return item.chunks.map(({ text }) => text);
      if (item.kind === 'call') return item.result === undefined || item.result.binary ? [] : [item.result.content];
      if (item.trusted || item.role === 'assistant') return [];
      return item.parts.flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text] : []));
    }),
  ];
  const isDelimited = (text: string) => {
    const [start] = delimit(text, { what: '' }).split('>>>', 1);
    const rest = delimit(text, { what: '' }).slice(start!.length);
    return sent.some((each) => each.includes(start!) && each.includes(rest));
  };
  return outside.filter((text) => text !== '' && !isDelimited(text));
}

describe('a request', () => {
  it('keeps every invariant, with any events and in any window', () => {
    fc.assert(
      fc.property(arbitrarySession(), fc.integer({ min: 0, max: 1500 }), (events, contextWindow) => {
        const view = viewOf(events);
        const request = tryToAssemble(view, contextWindow);
        if (request === undefined) return;
        expect(violations(view, request)).toEqual([]);
        expect(undelimited(view, request)).toEqual([]);
        expect(request.tokens).toBeLessThanOrEqual(contextWindow - 10);
        const newest = countedEntries(view.timeline).findLast(({ pinned }) => !pinned);
        expect(request.items.at(-1)?.seq).toBe(newest?.seq);
        for (const [index, { role }] of request.messages.entries()) {
          const next = request.messages[index + 1]?.role;
          if (role === 'context') continue;
          if (role !== 'assistant' || next !== 'assistant') expect(next).not.toBe(role);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never has two consecutive messages of the model without results between', () => {
    fc.assert(
      fc.property(arbitrarySession(), (events) => {
        const { messages } = assemble(viewOf(events), { reserveTokens: 0, contextWindow: undefined });
        for (const [index, message] of messages.entries()) {
          if (message.role === 'assistant') expect(messages[index + 1]?.role).not.toBe('assistant');
        }
      }),
    );
  });

  it('is equal for equal views', () => {
    fc.assert(
      fc.property(arbitrarySession(), (events) => {
        expect(assemble(viewOf(events), { reserveTokens: 0 })).toEqual(assemble(viewOf(events), { reserveTokens: 0 }));
      }),
    );
  });
});

describe('the invariants of a request', () => {
  const view = viewOf([
    event.created(),
    event.said('system', 'Terse.'),
    event.said('user', 'old'),
    event.compacted(2, 2, 'old things'),
    event.said('user', 'go'),
    event.asked('a'),
    event.finished('a', 'output'),
  ]);
  const request = assemble(view, { reserveTokens: 0 });

  it('find no fault in a valid request', () => {
    expect(violations(view, request)).toEqual([]);
  });

  it('notice a call without its result, and a result without its call', () => {
    expect(violations(view, { ...request, messages: request.messages.slice(0, -1) })).toHaveLength(1);
    expect(violations(view, { ...request, messages: request.messages.slice(2) })).toHaveLength(1);
  });

  it('notice a compacted item', () => {
    expect(violations(view, { ...request, items: view.timeline.entries.slice(1) })).toHaveLength(1);
  });

  it('notice a system prompt that is not first', () => {
    expect(violations(view, { ...request, system: ownText(`Hello. ${request.system}`) })).toHaveLength(1);
  });
});
