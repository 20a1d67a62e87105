// Reads a journal for one question, and closes it: all of it, or the newest stretch, for recent events.
import { eachEvent } from '../../journal/reading/outcomes.ts';
import type { JournalReader, JournalStore, StoredEvent } from '../../journal/types.ts';

type Readers = Pick<JournalStore, 'openReader'>;

/** What `read` makes of the journal of a session, or of an earlier one under archive/. */
export async function readJournal<Result>(
  store: Readers,
  id: string,
  read: (reader: JournalReader) => Promise<Result>,
  archive?: string,
): Promise<Result> {
  using reader = store.openReader(id, archive);
  return await read(reader);
}

/** The events of the last `maxBytes` bytes, the newest first. Damage is passed over. */
export async function* newestEvents(
  store: Readers,
  id: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<StoredEvent, void, void> {
  using reader = store.openReader(id);
  const from = (await reader.size()) - maxBytes;
  for await (const event of eachEvent(reader.backwards({ signal }))) {
    if (event.offset < from) return;
    yield event;
  }
}
