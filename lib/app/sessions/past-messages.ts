// What was said in a session, for a provider that searches it: oldest first, from the newest stretch of the journal, so that
// a session of any length takes a bounded amount of memory.
import type { JournalStore } from '../../journal/types.ts';
import type { Part } from '../../messages/index.ts';
import type { PastMessage } from '../../providers/offline/history.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export function pastMessages(store: JournalStore, id: string): PastMessage[] {
  const messages: PastMessage[] = [];
  const reader = store.openReader(id);
  try {
    const from = reader.size() - MAX_BYTES;
    for (const outcome of reader.backwards()) {
      if (outcome.kind === 'damage') continue;
      const { event } = outcome;
      if (event.offset < from) break;
      if (event.type !== 'message.added') continue;
      const role = event.data.role as PastMessage['role'];
      messages.push({ role, text: textOf(event.data.parts), turn: event.turn });
    }
  } finally {
    reader.close();
  }
  return messages.reverse();
}

/** The texts of a message, as its parts stand in the journal. */
export function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return (parts as Part[]).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
