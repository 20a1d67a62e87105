// The journal's own lines, byte for byte: whoever has the whole of them has the journal. Redacted lines are other
// lines; they carry neither checksum nor chain, and cannot be taken for a journal.
import type { StoredEvent } from '../journal/types.ts';
import { type Redact, redactedValue } from './redacted.ts';

const LINE_FEED = Uint8Array.of(0x0a);

export function* exportJsonl(lines: Iterable<StoredEvent>): Generator<Uint8Array, void, void> {
  for (const line of lines) {
    yield line.raw;
    yield LINE_FEED;
  }
}

export function* exportRedactedJsonl(lines: Iterable<StoredEvent>, redact: Redact): Generator<string, void, void> {
  for (const { seq, ts, type, turn, id, data } of lines) {
    yield `${JSON.stringify({ seq, ts, type, turn, id, data: redactedValue(data, redact) })}\n`;
  }
}
