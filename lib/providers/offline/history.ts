// Searches earlier messages, given by the caller. Reads them again for each question, because they grow.
import { setImmediate as nextTick } from 'node:timers/promises';
import { mayHold, readQuery } from '../../ranking/words.ts';
import type { OfflineSearch } from './search.ts';

export interface PastMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly turn?: number | undefined;
}

export type PastMessages = Iterable<PastMessage> | AsyncIterable<PastMessage>;

interface PastSearch {
  readonly question: string;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Whether a message is one to be found. */
  readonly counts: (message: PastMessage) => boolean;
  readonly rank: OfflineSearch['rank'];
}

const MAX_MESSAGES = 100_000;
const MAX_MESSAGE_CHARACTERS = 64 * 1024;
const MESSAGES_BETWEEN_BREATHS = 256;

/** The best of the messages, best first and each once; for a question without words, the last ones of the user. */
export async function searchPast(
  sources: readonly PastMessages[],
  { question, limit, signal, counts, rank }: PastSearch,
): Promise<readonly PastMessage[]> {
  const query = readQuery(question);
  const isWordless = query.terms.length === 0;
  const found: PastMessage[] = [];
  const seen = new Set<string>();
  let read = 0;
  for (const messages of sources) {
    for await (const message of messages) {
      read += 1;
      if (read >= MAX_MESSAGES) break;
      if (read % MESSAGES_BETWEEN_BREATHS === 0) await nextTick();
      signal.throwIfAborted();
      const { role, text } = message;
      if (seen.has(role + text) || !counts(message)) continue;
      seen.add(role + text);
      if (isWordless ? role === 'user' : mayHold(text, query)) found.push(message);
    }
  }
  if (isWordless) return found.slice(-limit);
  const texts = found.map(({ text }) => text.slice(0, MAX_MESSAGE_CHARACTERS));
  return (await rank(question, texts)).slice(0, limit).map((index) => found[index]!);
}
