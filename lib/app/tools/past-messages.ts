// What was said in a session, for a provider that searches it: oldest first, from the newest stretch of the journal, so
// that a session of any length takes a bounded amount of memory.
import type { JournalStore } from '../../journal/types.ts';
import type { Part, Role } from '../../messages/index.ts';
import type { PastMessage } from '../../providers/offline/history.ts';
import { newestEvents } from '../newest-events.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export async function* pastMessages(store: JournalStore, id: string): AsyncGenerator<PastMessage, void, void> {
  const messages: PastMessage[] = [];
  const reader = store.openReader(id);
  try {
    for await (const { type, data, turn } of newestEvents(reader, MAX_BYTES)) {
      if (type === 'message.added') messages.push({ role: data.role as Role, text: textOf(data.parts), turn });
    }
  } finally {
    reader.close();
  }
  yield* messages.reverse();
}

/** The texts of a message, as its parts stand in the journal. */
export function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return (parts as Part[]).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
