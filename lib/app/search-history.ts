// What the offline provider may look up in the session itself: the messages of its journal, newest first, bounded.
import type { JournalStore } from '../journal/types.ts';

export interface HistoryMatch {
  readonly seq: number;
  readonly ts: string;
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
}

/** Messages that hold at least one of the words (lower case), newest first. */
export function searchHistory(
  _store: JournalStore,
  _id: string,
  _words: readonly string[],
  _options: { readonly limit?: number; readonly maxBytes?: number } = {},
): HistoryMatch[] {
  throw new TypeError('not there yet');
}
