// Reads a journal for one question, and closes it: all of it, or the newest stretch, for recent events.
import type { JournalReader, JournalStore, StoredEvent } from '../journal/types.ts';

type Readers = Pick<JournalStore, 'openReader'>;

/** What `read` makes of the journal of a session, or of an earlier one under archive/. */
export async function readJournal<Result>(
  store: Readers,
  id: string,
  read: (reader: JournalReader) => Promise<Result>,
  archive?: string,
): Promise<Result> {
  const reader = store.openReader(id, archive);
  try {
    return await read(reader);
  } finally {
    reader.close();
  }
}

/** The events of the last `maxBytes` bytes, the newest first. Damage is passed over. */
export async function* newestEvents(
  store: Readers,
  id: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<StoredEvent, void, void> {
  const reader = store.openReader(id);
  try {
    const from = (await reader.size()) - maxBytes;
    for await (const batch of reader.backwards({ signal })) {
      for (const outcome of batch) {
        if (outcome.kind === 'damage') continue;
        if (outcome.event.offset < from) return;
        yield outcome.event;
      }
    }
  } finally {
    reader.close();
  }
}
