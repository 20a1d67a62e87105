import type { ForeignSession } from '../../lib/app/find/found.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { CommandContext } from '../../lib/repl/commands/command.ts';
import { viewConversation } from '../../lib/repl/commands/view-conversation.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

async function shown(events: readonly NewOllmEvent[], key?: string): Promise<string[]> {
  const lines: string[] = [];
  const front = {
    columns: 80,
    print: (...given: ({ text: string } | string)[][]) =>
      lines.push(
        ...given.map((line) =>
          typeof line === 'string' ? line : line.map((run) => (run as { text: string }).text).join(''),
        ),
      ),
    notice: () => undefined,
  } as unknown as CommandContext['front'];
  const session = {
    ...{ id: 'claude:1', key, agentTitle: 'Claude' },
    read: (use: (reader: unknown) => unknown) => use(readerOf(stored(events))),
  } as unknown as ForeignSession;
  await viewConversation({ front, signal: new AbortController().signal }, session);
  return lines.map((line) => line.trim());
}

const many = Array.from({ length: 150 }, (_, index) => event.said('user', `number ${index}`));

describe('a view of a foreign session', () => {
  it('shows its last ten messages, or ten from a named one on', async () => {
    expect(await shown(many)).toEqual(many.slice(-10).map((_, index) => `${140 + index} user: number ${140 + index}`));
    expect(await shown(many, '20')).toEqual(
      many.slice(0, 10).map((_, index) => `${20 + index} user: number ${20 + index}`),
    );
  });

  it('joins the pieces of a message, and skips messages without a text', async () => {
    const pieces = ['one', 'two'].map((text) => event.said('assistant', text, { message: 'm' }));
    const silent = event.said('assistant', '', { parts: [{ type: 'reasoning', text: 'hm' }] });
    expect(await shown([event.said('user', 'ask'), ...pieces, silent])).toEqual(['0 user: ask', '1 model: one two']);
    expect(await shown([silent])).toEqual(['Nothing was said in it.']);
  });
});
