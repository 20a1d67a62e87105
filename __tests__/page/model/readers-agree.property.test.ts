// The page, the exports, the outline and the unified messages are readers of one conversation: over any session they
// agree on its turns, messages, calls, settings and compactions, and on the undone ones among them.
import fc from 'fast-check';
import type { OllmEvent } from '../../../lib/events/index.ts';
import type { ExportItem } from '../../../lib/exporters/item.ts';
import { type TranscriptBlock, transcript } from '../../../lib/exporters/transcript.ts';
import { messagesOf } from '../../../lib/host/reading/unified-messages.ts';
import type { StoredEvent } from '../../../lib/journal/types.ts';
import type { SentEvent } from '../../../lib/page/api/types.ts';
import { blocksOf, type ShownBlock } from '../../../lib/page/model/blocks.ts';
import { isOnActiveBranch } from '../../../lib/projections/branches.ts';
import { outlineFold } from '../../../lib/projections/outline.ts';
import { replay } from '../../../lib/projections/replay.ts';
import { arbitrarySession } from '../../support/arbitrary-session.ts';
import { readerOf, stored } from '../../support/event-list.ts';
import { expectSame } from '../../support/expect-same.ts';

/** A line per thing that a reader shows: its kind, its place, whether it is undone, and the end of a call. */
type Line = readonly [kind: string, place: number, undone: boolean, end?: string];

const NOTED = new Set([
  'message.replaced',
  'model.changed',
  'context.added',
  'context.removed',
  'retrieval.added',
  'compaction.completed',
]);

/** Without results of a turn that is over. */
function wellCalled(events: readonly StoredEvent[]): StoredEvent[] {
  const calls = new Map<string, 'open' | 'left' | 'done'>();
  return events.filter(({ type, data }) => {
    const callId = String(data.callId);
    if (type === 'turn.started' || type === 'turn.ended') {
      for (const [id, state] of calls) if (state === 'open') calls.set(id, 'left');
    } else if (type === 'tool.requested') {
      calls.set(callId, 'open');
    } else if (type === 'tool.finished') {
      if (calls.get(callId) === 'left') return false;
      calls.set(callId, 'done');
    }
    return true;
  });
}

const typeAt = (events: readonly StoredEvent[], seq: number | undefined) =>
  events.find((event) => event.seq === seq)?.type ?? '';

function linesOfPage(events: readonly StoredEvent[], blocks: readonly ShownBlock[], undone = false): Line[] {
  return blocks.flatMap((block): Line[] => {
    if (block.kind === 'undone') return linesOfPage(events, block.blocks, true);
    if (block.kind === 'turn') return [['turn', block.turn, undone]];
    if (block.kind === 'calls' || block.kind === 'plan')
      return block.calls.map(({ seq, end }) => ['call', seq, undone, end?.result.llmContent]);
    const type = typeAt(events, block.seq);
    if (type === 'message.added') return [['message', block.seq, undone]];
    return NOTED.has(type) ? [[type, block.seq, undone]] : [];
  });
}

function linesOfExport(events: readonly StoredEvent[], blocks: readonly TranscriptBlock[]): Line[] {
  return blocks.flatMap((block): Line[] => {
    const { undone } = block;
    if (block.type === 'turn') return [['turn', block.turn, undone]];
    if (block.type === 'tool') return [['call', block.seq, undone, block.result]];
    if (block.type === 'message') return [['message', block.seq, undone]];
    const type = typeAt(events, block.seq);
    return NOTED.has(type) ? [[type, block.seq!, undone]] : [];
  });
}

const sorted = (lines: readonly Line[]): string[] => lines.map((line) => JSON.stringify(line)).sort();

async function readAll(events: readonly StoredEvent[]) {
  const { states } = await replay(readerOf(events), { outline: outlineFold });
  const isUndone = (seq: number) => !isOnActiveBranch(states.outline.branches, seq);
  const spans: { from: number; to: number }[] = [];
  for (let seq = 0; seq <= states.outline.head; seq += 1) {
    const last = spans.at(-1);
    if (!isUndone(seq)) continue;
    if (last?.to === seq - 1) last.to = seq;
    else spans.push({ from: seq, to: seq });
  }
  const known = events.filter(({ type }) => type !== 'plugin.noted');
  const items = known.map((event): ExportItem => ({ kind: 'event', event: event as unknown as OllmEvent }));
  const exported: TranscriptBlock[] = [];
  for await (const group of transcript(inOne(items), { isUndone })) exported.push(...group);
  const page = blocksOf(known as unknown as SentEvent[], { undone: spans });
  return { page, exported, outline: states.outline, isUndone };
}

async function* inOne(items: readonly ExportItem[]): AsyncGenerator<readonly ExportItem[]> {
  yield items;
}

describe('the readers of a conversation', () => {
  it('agree on turns, messages, calls with their ends, settings and compactions, and on the undone of them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (session) => {
        const events = wellCalled(stored(session));
        const { page, exported } = await readAll(events);
        expectSame(sorted(linesOfPage(events, page)), sorted(linesOfExport(events, exported)));
      }),
      { numRuns: 200 },
    );
  });

  it('agree on the prompts, with their undone ones, and on the calls', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (session) => {
        const events = stored(session);
        const { page, outline, exported } = await readAll(events);
        const unified = messagesOf(events, { provider: 'p', sessionId: 's' });
        const prompts = events.filter(isPrompt).map(({ seq }) => seq);
        expectSame(
          outline.prompts.map(({ seq }) => seq),
          prompts,
        );
        expectSame(promptsOf(page), prompts);
        expectSame(
          unified.filter(({ type }) => type === 'user_message').map(({ seq }) => seq),
          prompts,
        );
        const users = exported.filter((block) => block.type === 'message' && block.role === 'user');
        expectSame(
          users.map((block) => (block.type === 'message' ? block.seq : -1)),
          prompts,
        );
        const asked = events.filter(({ type }) => type === 'tool.requested').map(({ seq }) => seq);
        const used = unified.filter(({ type }) => type === 'tool_use_request' || type === 'todo_task_list');
        expectSame(
          used.map(({ seq }) => seq),
          asked,
        );
      }),
      { numRuns: 100 },
    );
  });
});

function isPrompt({ type, data }: StoredEvent): boolean {
  return type === 'message.added' && data.role === 'user';
}

function promptsOf(blocks: readonly ShownBlock[]): number[] {
  return blocks.flatMap((block) =>
    block.kind === 'undone' ? promptsOf(block.blocks) : block.kind === 'prompt' ? [block.seq] : [],
  );
}
