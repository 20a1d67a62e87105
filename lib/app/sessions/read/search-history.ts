// `/history WORDS`: the messages of a session that hold a word, newest first, bounded.
import type { JournalStore } from '../../../journal/types.ts';
import type { Role } from '../../../messages/index.ts';
import { newestEvents } from '../../read-journal.ts';
import { textOf } from '../../tools/past-messages.ts';

const DEFAULT_LIMIT = 20;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

interface HistoryMatch {
  readonly seq: number;
  readonly ts: string;
  readonly role: Role;
  readonly text: string;
}

interface SearchOptions {
  readonly limit?: number | undefined;
  /** How much of the journal is read, from its end. */
  readonly maxBytes?: number | undefined;
  /** An abort ends the search between two batches. */
  readonly signal?: AbortSignal | undefined;
}

/** Messages that hold at least one of the words (lower case), newest first. */
export async function searchHistory(
  store: JournalStore,
  id: string,
  words: readonly string[],
  { limit = DEFAULT_LIMIT, maxBytes = DEFAULT_MAX_BYTES, signal }: SearchOptions = {},
): Promise<HistoryMatch[]> {
  const found: HistoryMatch[] = [];
  for await (const { seq, ts, type, data } of newestEvents(store, id, { maxBytes, signal })) {
    if (found.length === limit) break;
    if (type !== 'message.added') continue;
    const text = textOf(data.parts);
    const folded = text.toLowerCase();
    if (words.some((word) => folded.includes(word))) found.push({ seq, ts, role: data.role as Role, text });
  }
  return found;
}
