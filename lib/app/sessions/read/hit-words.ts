// What a search says beside its hits, in the same words wherever it is asked.
import type { SearchHit } from '../../../catalog/search.ts';

export const NOTHING_FOUND = 'Nothing was found. "ollm sync" brings in what is new in sessions of other programs.';

/** What sets a hit apart from what its session says today. */
export function marksOf({ live, gone }: Pick<SearchHit, 'live' | 'gone'>): string[] {
  return [...(live ? [] : ['undone']), ...(gone ? ['its source is gone'] : [])];
}
