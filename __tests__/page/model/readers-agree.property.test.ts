// The page, the exports and the outline render one conversation: over any session they show the same turns, messages
// and calls in the same order, with the same of them undone. The document of a session is made by a fold of its own:
// the conversation is compared with it.
import fc from 'fast-check';
import type { OllmEvent } from '../../../lib/events/index.ts';
import { exportHtml } from '../../../lib/exporters/html.ts';
import type { ExportItem } from '../../../lib/exporters/item.ts';
import { exportMarkdown } from '../../../lib/exporters/markdown.ts';
import { messagesOf } from '../../../lib/host/reading/unified-messages.ts';
import type { StoredEvent } from '../../../lib/journal/types.ts';
import type { SentEvent } from '../../../lib/page/api/types.ts';
import { blocksOf } from '../../../lib/page/model/blocks.ts';
import { isOnActiveBranch } from '../../../lib/projections/branches.ts';
import { addEvent, emptyConversation } from '../../../lib/projections/conversation.ts';
import { outlineFold } from '../../../lib/projections/outline.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { sessionFold } from '../../../lib/projections/session.ts';
import { summaryFold } from '../../../lib/projections/summary.ts';
import { addToMessages, type WholeMessage } from '../../../lib/projections/whole-messages.ts';
import { headOf, joined } from '../../exporters/items.ts';
import { arbitraryConversation } from '../../support/arbitrary-conversation.ts';
import { readerOf } from '../../support/event-list.ts';
import { expectSame } from '../../support/expect-same.ts';
import {
  linesOfConversation,
  linesOfHtml,
  linesOfMarkdown,
  linesOfPage,
  linesOfTranscript,
  promptsIn,
  undoneSpans,
} from '../../support/lines-of-readers.ts';

const RUNS = { numRuns: 100 };

async function readAll(events: readonly StoredEvent[]) {
  const { states } = await replay(readerOf(events), { outline: outlineFold, session: sessionFold });
  const { branches } = states.outline;
  const isUndone = (seq: number) => !isOnActiveBranch(branches, seq);
  const known = events.filter(({ type }) => type !== 'plugin.noted') as unknown as OllmEvent[];
  const conversation = emptyConversation();
  for (const event of known) addEvent(conversation, event, isUndone);
  const items = known.map((event): ExportItem => ({ kind: 'event', event }));
  return { ...states, isUndone, known, conversation, items };
}

/** Batches of one to three items, as a reader may hand them out. */
async function* inBatches(items: readonly ExportItem[]): AsyncGenerator<readonly ExportItem[]> {
  for (let at = 0, length = 1; at < items.length; at += length, length = (length % 3) + 1)
    yield items.slice(at, at + length);
}

const seqsOfType = (events: readonly StoredEvent[], wanted: string) =>
  events.filter(({ type }) => type === wanted).map(({ seq }) => seq);

describe('the readers of a conversation', () => {
  it('have the messages and calls of the session document, and each call has its result', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation(), async (events) => {
        const { conversation, session } = await readAll(events);
        const lines = linesOfConversation(conversation.items).filter(([kind]) => kind !== 'turn');
        const entries = session.timeline.entries.map((entry) => [
          entry.kind,
          entry.seq,
          ...(entry.kind === 'call' ? [entry.call.result.llmContent] : []),
        ]);
        expectSame(
          lines.map(([kind, seq, , end]) => [kind, seq, ...(kind === 'call' ? [end ?? ''] : [])]),
          entries,
        );
      }),
      RUNS,
    );
  });

  it('show the same turns, messages and calls in the same order, on the page and in exports', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation(), async (events) => {
        const { known, conversation, items, isUndone } = await readAll(events);
        const expected = linesOfConversation(conversation.items);
        const undone = undoneSpans(known.at(-1)!.seq, isUndone);
        expectSame(linesOfPage(blocksOf(known as unknown as SentEvent[], { undone })), expected);
        expectSame(await linesOfTranscript(inBatches(items), isUndone), expected);
        const withoutEnds = expected.map(([kind, place, isUndoneToo]) => [kind, place, isUndoneToo]);
        const head = headOf(items);
        expectSame(linesOfHtml(await joined(exportHtml(inBatches(items), head))), withoutEnds);
        const { states } = await replay(readerOf(events), { listed: summaryFold });
        expect(head.survey.messages).toBe(states.listed.messageCount);
      }),
      RUNS,
    );
  });

  it('show turns, messages and calls as Markdown in that order too', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation({ text: 'words' }), async (events) => {
        const { conversation, items } = await readAll(events);
        const expected = linesOfConversation(conversation.items).map(([kind, place, undone]) => [kind, place, undone]);
        expectSame(linesOfMarkdown(await joined(exportMarkdown(inBatches(items), headOf(items)))), expected);
      }),
      RUNS,
    );
  });

  it('have the text of each message in its newest form', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation(), async (events) => {
        const { conversation, session } = await readAll(events);
        const messages: WholeMessage[] = [];
        for (const item of conversation.items) addToMessages(messages, item);
        expectSame(
          messages.map(({ seq, role, parts }) => ({ seq, role, parts })),
          session.timeline.entries.flatMap((entry) =>
            entry.kind === 'message' ? [{ seq: entry.seq, role: entry.content.role, parts: entry.content.parts }] : [],
          ),
        );
      }),
      RUNS,
    );
  });

  it('send the same prompts, calls and results as messages over HTTP, each once and in the order of events', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation(), async (events) => {
        const { conversation } = await readAll(events);
        const sent = messagesOf(events, { provider: 'p', sessionId: 's' });
        const seqs = sent.map(({ seq }) => seq);
        expectSame(
          seqs,
          seqs.toSorted((one, other) => one - other),
        );
        const sentAs = (types: RegExp) =>
          sent.filter(({ type, replaces }) => types.test(type) && replaces === undefined).map(({ seq }) => seq);
        expectSame(sentAs(/^tool_use|^todo/), seqsOfType(events, 'tool.requested'));
        expectSame(sentAs(/^tool_call/), seqsOfType(events, 'tool.finished'));
        const users = conversation.items.filter((item) => item.kind === 'message' && item.data.role === 'user');
        expectSame(
          sentAs(/^user/),
          users.map((item) => item.seq),
        );
        const replaced = conversation.items.flatMap((item) => (item.kind === 'replaced' ? [[item.seq, item.of]] : []));
        for (const { seq, replaces } of sent) {
          if (replaces !== undefined) expect(replaced).toContainEqual([seq, replaces]);
        }
      }),
      RUNS,
    );
  });

  it('list the same prompts in the outline, each in its newest form', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation(), async (events) => {
        const { conversation, outline, session } = await readAll(events);
        expectSame(
          outline.prompts.map(({ seq }) => seq),
          promptsIn(conversation.items),
        );
        for (const { seq, text } of outline.prompts) {
          const entry = session.timeline.entries.find((one) => one.seq === seq);
          const parts = entry?.kind === 'message' ? entry.content.parts : [];
          const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
          expect(text).toBe(words.slice(0, 200));
        }
      }),
      RUNS,
    );
  });
});
