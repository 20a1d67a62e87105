// Which idempotency keys a journal holds already. Built at the first append that carries one, by one reading of the
// file that looks into no data; a session that never uses keys never pays for it.
import { ForwardLines } from './lines.ts';
import { type JournalSource, readForwards } from './scan.ts';

/** Where the event with a key stands. */
export interface KnownEvent {
  readonly seq: number;
  readonly xxh64: string;
  /** Where the line behind it begins. */
  readonly end: number;
}

const KEY = Buffer.from(',"id":"');

/** Every key in the first `size` bytes. The first event that has it counts. */
export function readIds(source: JournalSource, size: number): Map<string, KnownEvent> {
  const ids = new Map<string, KnownEvent>();
  if (!mayHoldIds(source, size)) return ids;
  for (const outcome of readForwards(source, { isBeingWritten: () => true })) {
    if (outcome.kind === 'damage' || outcome.event.id === undefined) continue;
    const { id, seq, xxh64, end } = outcome.event;
    if (!ids.has(id)) ids.set(id, { seq, xxh64, end });
  }
  return ids;
}

/** Whether the bytes of a key occur at all: most journals have none, and looking for it is quicker than reading. */
function mayHoldIds(source: JournalSource, size: number): boolean {
  const lines = new ForwardLines(source, 0, size, { reuse: true });
  for (let step = lines.next(); step !== 'end'; step = lines.next()) {
    if (lines.buffer.subarray(lines.start, lines.stop).includes(KEY)) return true;
  }
  return false;
}
