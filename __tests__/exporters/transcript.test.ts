// Laws of the transcript that Markdown and HTML write: they hold for any session, however its items are grouped.
import fc from 'fast-check';
import { decodeEvent } from '../../lib/events/decode.ts';
import type { ExportItem } from '../../lib/exporters/item.ts';
import { type TranscriptBlock, transcript } from '../../lib/exporters/transcript.ts';
import type { SessionEvent } from '../../lib/journal/types.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event } from '../support/event-list.ts';
import { eventItems } from './items.ts';

function itemsOf(events: readonly object[]): ExportItem[] {
  return events.map((one, seq) => {
    const decoded = decodeEvent({ ts: '2026-01-01T00:00:00.000Z', ...one, seq } as SessionEvent);
    return decoded.kind === 'known'
      ? { kind: 'event', event: decoded.event }
      : { kind: 'unknown', envelope: decoded.event };
  });
}

async function blocksOf(
  items: readonly ExportItem[],
  size: number,
  isUndone?: (seq: number) => boolean,
): Promise<TranscriptBlock[]> {
  async function* groups() {
    for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
  }
  const blocks: TranscriptBlock[] = [];
  for await (const group of transcript(groups(), { isUndone })) blocks.push(...group);
  return blocks;
}

describe('a transcript', () => {
  it('is equal in groups of any size', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), fc.integer({ min: 1, max: 50 }), async (events, size) => {
        const items = itemsOf(events);
        expect(await blocksOf(items, size)).toEqual(await blocksOf(items, 1));
      }),
    );
  });

  it('has each call once, with its result, and each part of a message once', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), async (events) => {
        const items = itemsOf(events);
        const known = items.flatMap((item) => (item.kind === 'event' ? [item.event] : []));
        const blocks = await blocksOf(items, 7);
        const asked = known.filter(({ type }) => type === 'tool.requested').length;
        const shown = blocks.filter((block) => block.type === 'tool' && block.args !== undefined);
        expect(shown.length).toBeGreaterThanOrEqual(asked);
        const parts = known.flatMap((one) => (one.type === 'message.added' ? one.data.parts : []));
        expect(blocks.flatMap((block) => (block.type === 'message' ? block.parts : []))).toHaveLength(parts.length);
      }),
    );
  });

  it('marks only undone messages', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), fc.nat(40), async (events, from) => {
        const items = itemsOf(events);
        const isUndone = (seq: number) => seq >= from;
        for (const block of await blocksOf(items, 5, isUndone)) {
          if (block.type === 'message' || block.type === 'tool') expect(block.undone).toBe(block.seq >= from);
        }
      }),
    );
  });

  it('keeps a place that could not be read in its position', async () => {
    const [first, second] = eventItems(event.said('user', 'before'), event.said('user', 'after'));
    const damage = { kind: 'not-json', offset: 90, length: 4, reason: 'not JSON' } as const;
    const blocks = await blocksOf([first!, { kind: 'damage', damage }, second!], 1);
    expect(blocks.map(({ type }) => type)).toEqual(['message', 'note', 'message']);
    expect(blocks[1]).toMatchObject({ tone: 'warning' });
  });
});
