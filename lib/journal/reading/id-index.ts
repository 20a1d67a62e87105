// Which idempotency keys a journal holds already. Built at the first append that carries one, by one reading of the
// file that looks into no data; a session that never uses keys never pays for it.
import { type JournalSource, readForwards } from './scan.ts';

/** Where the event with a key stands. */
export interface KnownEvent {
  readonly seq: number;
  readonly xxh64: string;
  /** Where the line behind it begins. */
  readonly end: number;
}

/** Every key in the journal. The first event that has it counts. */
export function readIds(source: JournalSource): Map<string, KnownEvent> {
  const ids = new Map<string, KnownEvent>();
  // Every whole line: the caller is the writer, and nothing of its own is in flight.
  for (const outcome of readForwards(source, { transient: true, isBeingWritten: () => true })) {
    if (outcome.kind === 'damage' || outcome.event.id === undefined) continue;
    const { id, seq, xxh64, end } = outcome.event;
    if (!ids.has(id)) ids.set(id, { seq, xxh64, end });
  }
  return ids;
}
