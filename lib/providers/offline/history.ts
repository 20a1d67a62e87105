// Searches what was said before, in messages that are handed in. Reads them again for each question: they grow.
import { setImmediate as nextTick } from 'node:timers/promises';
import { Ranking } from '../../ranking/rank.ts';
import type { Query } from '../../ranking/words.ts';

export interface PastMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly turn?: number | undefined;
}

export type Messages = Iterable<PastMessage> | AsyncIterable<PastMessage>;

export interface PastSearch {
  readonly query: Query;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Whether a message is one to be found. */
  readonly counts: (message: PastMessage) => boolean;
}

const MAX_MESSAGES = 100_000;
const MAX_MESSAGE_CHARACTERS = 64 * 1024;
const MESSAGES_BETWEEN_BREATHS = 256;

/** The best of the messages, best first and each once; for a query without words, the last ones of the user. */
export async function searchPast(
  sources: readonly Messages[],
  { query, limit, signal, counts }: PastSearch,
): Promise<readonly PastMessage[]> {
  const ranking = new Ranking<PastMessage>(query);
  const fromUser: PastMessage[] = [];
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
      if (role === 'user') fromUser.splice(0, Math.max(0, fromUser.push(message) - limit));
      ranking.add(message, text.slice(0, MAX_MESSAGE_CHARACTERS));
    }
  }
  if (query.terms.length === 0) return fromUser;
  return ranking
    .best()
    .slice(0, limit)
    .map(({ item }) => item);
}
