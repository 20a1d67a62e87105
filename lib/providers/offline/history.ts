// Searches what was said before, in messages that somebody hands in. Reads them again for each question: they grow.
import { setImmediate as nextTick } from 'node:timers/promises';
import type { HistoryHit, HistorySearch, PastMessage } from './ports.ts';
import { type Counted, countIn, rank, rarity } from './rank.ts';

const MAX_MESSAGES = 100_000;
const MAX_MESSAGE_CHARACTERS = 64 * 1024;
const MAX_CANDIDATES = 2_000;
const MESSAGES_BETWEEN_BREATHS = 256;

export type Messages = Iterable<PastMessage> | AsyncIterable<PastMessage>;

/**
 * @example
 * createHistorySearch(() => session.messages())
 */
export function createHistorySearch(messages: () => Messages): HistorySearch {
  return {
    async search(query, { limit, signal }) {
      const candidates = new Map<string, PastMessage>();
      const counted: Counted[] = [];
      const fromUser: PastMessage[] = [];
      let read = 0;
      for await (const message of messages()) {
        if (read >= MAX_MESSAGES || candidates.size >= MAX_CANDIDATES) break;
        read += 1;
        if (read % MESSAGES_BETWEEN_BREATHS === 0) await nextTick();
        signal.throwIfAborted();
        if (message.role === 'user') keepLast(fromUser, message, limit);
        const name = String(read).padStart(9, '0');
        const found = countIn(name, '', message.text.slice(0, MAX_MESSAGE_CHARACTERS), query);
        if (!found) continue;
        counted.push(found);
        candidates.set(name, message);
      }
      if (query.terms.length === 0) return fromUser.map((message) => ({ ...message, score: 0 }));
      const ranked = rank(counted, rarity(query, counted, read));
      return ranked.slice(0, limit).map(({ name, score }): HistoryHit => ({ ...candidates.get(name)!, score }));
    },
  };
}

function keepLast(messages: PastMessage[], message: PastMessage, limit: number): void {
  messages.push(message);
  if (messages.length > limit) messages.shift();
}
