import type { OllmEvent } from '../../lib/events/index.ts';
import { sessionDocument } from '../../lib/exporters/session-document.ts';
import { outlineFold } from '../../lib/projections/outline.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const EVENTS = stored([
  event.created(),
  event.said('user', 'What grows?'),
  event.asked('a', 'look', { path: 'garden' }),
  event.finished('a', 'a tree'),
  event.said('assistant', 'A tree.'),
]);

async function* wanted(events: typeof EVENTS, isWanted: (seq: number) => boolean, asked: number[] = []) {
  for (const one of events) {
    if (!isWanted(one.seq)) continue;
    asked.push(one.seq);
    yield one as unknown as OllmEvent;
  }
}

/** The document where these events cannot be had a second time. */
async function documentWithout(...lost: number[]) {
  const { states } = await replay(readerOf(EVENTS), { outline: outlineFold });
  const left = EVENTS.filter(({ seq }) => !lost.includes(seq));
  return sessionDocument(states.outline, (isWanted) => wanted(left, isWanted), {});
}

describe('a session document', () => {
  it('has an outline that holds nothing of what was said', async () => {
    const { states } = await replay(readerOf(EVENTS), { outline: outlineFold });
    expect(JSON.stringify(states.outline)).not.toMatch(/grows|tree|garden/);
  });

  it('asks for no event that it does not write', async () => {
    const { states } = await replay(readerOf(EVENTS), { outline: outlineFold });
    const asked: number[] = [];
    const { messages, toolCalls } = sessionDocument(states.outline, (isWanted) => wanted(EVENTS, isWanted, asked), {});
    expect((await Array.fromAsync(messages)).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await Array.fromAsync(toolCalls)).toMatchObject([
      { args: { path: 'garden' }, result: { llmContent: 'a tree' } },
    ]);
    expect(asked).toEqual([1, 4, 2, 3]);
  });

  it('joins a message that came in several events, and takes the parts that replaced it', async () => {
    const events = stored([
      event.created(),
      event.said('assistant', 'First.', { message: 'm1' }),
      event.said('assistant', 'Wrong.', { message: 'm2' }),
      event.asked('a'),
      event.said('user', 'Go on.', { synthetic: true }),
      event.said('assistant', 'Second.', { message: 'm1' }),
      { type: 'message.replaced', data: { message: 'm2', parts: [{ type: 'text', text: 'Right.' }] } },
    ]);
    const { states } = await replay(readerOf(events), { outline: outlineFold, session: sessionFold });
    const { messages } = sessionDocument(states.outline, (isWanted) => wanted(events, isWanted), {});
    const written = await Array.fromAsync(messages);
    expect(written.map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))).toEqual([
      ['First.', 'Second.'],
      ['Right.'],
      ['Go on.'],
    ]);
    expect(written).toEqual(sessionJson(states.session).messages);
  });

  it.each([
    ['a message', 1],
    ['a call', 2],
    ['a result', 3],
  ])('says so where %s was there for the outline and is not there any more', async (_, seq) => {
    const { messages, toolCalls } = await documentWithout(seq);
    const all = async () => [await Array.fromAsync(messages), await Array.fromAsync(toolCalls)];
    await expect(all()).rejects.toMatchObject({
      code: 'JOURNAL_DAMAGED',
      message: expect.stringContaining(`Event ${seq} `),
    });
  });
});
