// The messages of a session, for a provider that searches them: oldest first, from the newest stretch of the journal,
// so that a session of any length takes a bounded amount of memory.
import type { JournalStore } from '../../journal/types.ts';
import type { Part } from '../../messages/index.ts';
import type { PastMessage } from '../../providers/offline/history.ts';
import { newestMessages } from '../journals/newest-messages.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export async function* pastMessages(store: JournalStore, id: string): AsyncGenerator<PastMessage, void, void> {
  for (const { role, parts, inTurn } of await newestMessages(store, id, { maxBytes: MAX_BYTES })) {
    yield { role, text: textOf(parts), turn: inTurn };
  }
}

/** The texts of a message, from its parts as the journal has them. */
export function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return (parts as Part[]).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
