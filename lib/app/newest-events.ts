// The newest stretch of a journal, for what looks for something that was said or done lately.
import type { JournalReader, StoredEvent } from '../journal/types.ts';

/** The events of the last `maxBytes` bytes, the newest first. Damage is passed over. */
export async function* newestEvents(
  reader: JournalReader,
  maxBytes: number,
  signal?: AbortSignal | undefined,
): AsyncGenerator<StoredEvent, void, void> {
  const from = (await reader.size()) - maxBytes;
  for await (const batch of reader.backwards({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') continue;
      if (outcome.event.offset < from) return;
      yield outcome.event;
    }
  }
}
