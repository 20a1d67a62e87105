// The journal's own lines, byte for byte: all of them are the journal. Redacted lines are other lines; they carry
// neither checksum nor chain, and cannot be taken for a journal.
import type { SessionEvent, StoredEvent } from '../journal/types.ts';
import { type RedactExport, redactedValue } from './redacted.ts';

const LINE_FEED = Uint8Array.of(0x0a);

export async function* exportJsonl(
  lines: AsyncIterable<readonly StoredEvent[]>,
): AsyncGenerator<readonly Uint8Array[], void, void> {
  for await (const batch of lines) yield batch.flatMap(({ raw }) => [raw, LINE_FEED]);
}

export async function* exportRedactedJsonl(
  events: AsyncIterable<readonly SessionEvent[]>,
  redact: RedactExport,
): AsyncGenerator<readonly string[], void, void> {
  for await (const batch of events) yield batch.map((event) => redactedLine(event, redact));
}

function redactedLine({ seq, ts, type, turn, id, data }: SessionEvent, redact: RedactExport): string {
  return `${JSON.stringify({ seq, ts, type, turn, id, data: redactedValue(data, redact) })}\n`;
}
