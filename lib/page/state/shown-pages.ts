// The blocks of the pages in view.
import type { Outline, SentEvent } from '../api/types.ts';
import { type Block, blocksOf } from '../model/blocks.ts';
import { PAGE, type Pages } from './pages.ts';

export interface ShownPage {
  readonly page: number;
  readonly isLoaded: boolean;
  readonly blocks: readonly Block[];
}

/** Blocks of the pages in view. They are made of all of them at once: a call may begin on one and end on the next. */
export function shownPages(
  pages: Pages,
  { first, last }: { first: number; last: number },
  outline: Outline | undefined,
): ShownPage[] {
  const events: SentEvent[] = [];
  const damage = [];
  const shown: { page: number; isLoaded: boolean; blocks: Block[] }[] = [];
  for (let page = first; page <= Math.min(last, pages.heights.count - 1); page += 1) {
    const loaded = pages.loaded.get(page);
    shown.push({ page, isLoaded: loaded !== undefined, blocks: [] });
    events.push(...(loaded?.events ?? []));
    damage.push(...(loaded?.damage ?? []));
  }
  for (const block of blocksOf(events, { undone: outline?.undone ?? [], damage })) {
    const page = Math.floor(Math.max(0, block.seq) / PAGE);
    (shown.find((each) => each.page === page) ?? shown[0])?.blocks.push(block);
  }
  return shown;
}
