// Searches what was said before, in messages that are handed in. Reads them again for each question: they grow.
import { setImmediate as nextTick } from 'node:timers/promises';
import { Ranking } from './rank.ts';
import type { Query } from './words.ts';

export interface PastMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly turn?: number | undefined;
}

export interface HistoryHit extends PastMessage {
  readonly score: number;
}

export type Messages = Iterable<PastMessage> | AsyncIterable<PastMessage>;

/** The best of the past messages, best first; for a query without words, the last ones of the user. */
export type HistorySearch = (
  query: Query,
  options: { readonly limit: number; readonly signal: AbortSignal },
) => Promise<readonly HistoryHit[]>;

const MAX_MESSAGES = 100_000;
const MAX_MESSAGE_CHARACTERS = 64 * 1024;
const MESSAGES_BETWEEN_BREATHS = 256;

/**
 * @example
 * createHistorySearch(() => session.messages())
 */
export function createHistorySearch(messages: () => Messages): HistorySearch {
  return async (query, { limit, signal }) => {
    const ranking = new Ranking<PastMessage>(query);
    const fromUser: PastMessage[] = [];
    let read = 0;
    for await (const message of messages()) {
      if (read >= MAX_MESSAGES) break;
      read += 1;
      if (read % MESSAGES_BETWEEN_BREATHS === 0) await nextTick();
      signal.throwIfAborted();
      if (message.role === 'user') fromUser.splice(0, Math.max(0, fromUser.push(message) - limit));
      ranking.add(message, message.text.slice(0, MAX_MESSAGE_CHARACTERS));
    }
    if (query.terms.length === 0) return fromUser.map((message) => ({ ...message, score: 0 }));
    return ranking
      .best()
      .slice(0, limit)
      .map(({ item, score }) => ({ ...item, score }));
  };
}
