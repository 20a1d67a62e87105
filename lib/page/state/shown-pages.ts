// The blocks of the pages in view.
import type { Outline, SentEvent } from '../api/types.ts';
import { blocksOf, type ShownBlock } from '../model/blocks.ts';
import { PAGE, type Pages } from './pages.ts';

export interface ShownPage {
  readonly page: number;
  readonly isLoaded: boolean;
  readonly blocks: readonly ShownBlock[];
}

/** Blocks of the pages in view. They are made of all of them at once: a call may begin on one and end on the next. */
export function shownPages(
  pages: Pages,
  { first, last }: { first: number; last: number },
  outline: Outline | undefined,
): ShownPage[] {
  const events: SentEvent[] = [];
  const damage = [];
  const shown: { page: number; isLoaded: boolean; blocks: ShownBlock[] }[] = [];
  for (let page = first; page <= Math.min(last, pages.heights.count - 1); page += 1) {
    const loaded = pages.loaded.get(page);
    shown.push({ page, isLoaded: loaded !== undefined, blocks: [] });
    events.push(...(loaded?.events ?? []));
    damage.push(...(loaded?.damage ?? []));
  }
  for (const block of blocksOf(events, { undone: outline?.undone ?? [], damage })) {
    for (const piece of byPage(block)) {
      const page = pageOf(piece.seq);
      (shown.find((each) => each.page === page) ?? shown[0])?.blocks.push(piece);
    }
  }
  return shown;
}

function pageOf(seq: number): number {
  return Math.floor(Math.max(0, seq) / PAGE);
}

/** A stack of calls ends with its page: a page is as high whichever others are shown. */
function byPage(block: ShownBlock): readonly ShownBlock[] {
  if (block.kind !== 'calls') return [block];
  const stacks = [...Map.groupBy(block.calls, ({ seq }) => pageOf(seq)).values()];
  return stacks.map((calls, at) => (at === 0 ? { ...block, calls } : { ...block, seq: calls[0]!.seq, calls }));
}
