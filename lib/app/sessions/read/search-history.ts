// `/history WORDS`: the messages of a session that have a word, newest first, bounded.
import type { JournalStore } from '../../../journal/types.ts';
import type { Role } from '../../../messages/index.ts';
import { newestMessages } from '../../journals/newest-messages.ts';
import { textOf } from '../../tools/past-messages.ts';

const DEFAULT_LIMIT = 20;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

interface HistoryMatch {
  readonly seq: number;
  readonly role: Role;
  readonly text: string;
}

interface SearchOptions {
  readonly limit?: number | undefined;
  /** Bytes of the journal that are read, from its end. */
  readonly maxBytes?: number | undefined;
  /** An abort ends the search between two batches. */
  readonly signal?: AbortSignal | undefined;
}

/** Messages that have at least one of the words (lower case) in their newest form, newest first. */
export async function searchHistory(
  store: JournalStore,
  id: string,
  words: readonly string[],
  { limit = DEFAULT_LIMIT, maxBytes = DEFAULT_MAX_BYTES, signal }: SearchOptions = {},
): Promise<HistoryMatch[]> {
  const found: HistoryMatch[] = [];
  for (const { seq, role, parts } of (await newestMessages(store, id, { maxBytes, signal })).toReversed()) {
    if (found.length === limit) break;
    const text = textOf(parts);
    const folded = text.toLowerCase();
    if (words.some((word) => folded.includes(word))) found.push({ seq, role, text });
  }
  return found;
}
