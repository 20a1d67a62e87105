// The notes of a search in addition to its hits, in the same words everywhere.
import type { SearchHit, SearchResult } from '../../../catalog/search-request.ts';
import { printableLine } from '../../../display/printable.ts';

export const NOTHING_FOUND = 'Nothing was found.';

/** A sentence about words that were perhaps typed wrong; none where there are none. */
export function meantIn({ didYouMean }: Pick<SearchResult, 'didYouMean'>): readonly string[] {
  return didYouMean === undefined ? [] : [`Did you mean: ${printableLine(didYouMean)}`];
}

/** The role of a message, or the name by which a session was found. */
export function whatOf({ kind, role, why }: Pick<SearchHit, 'kind' | 'role' | 'why'>): string {
  if (kind === 'session') return why === 'filter' ? 'session' : `session, by its ${why}`;
  return role === 'tool' ? `tool ${kind}` : (role ?? '');
}

/** Marks of a hit that is not in its session today as it was typed. */
export function marksOf({ isNear, live, gone }: Pick<SearchHit, 'isNear' | 'live' | 'gone'>): string[] {
  return [...(isNear ? ['near'] : []), ...(live ? [] : ['undone']), ...(gone ? ['its source is gone'] : [])];
}
