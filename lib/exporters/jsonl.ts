// The journal's own lines, byte for byte: all of them are the journal. Redacted lines are other
// lines; they carry neither checksum nor chain, and cannot be taken for a journal.
import type { StoredEvent } from '../journal/types.ts';
import { type Redact, redactedValue } from './redacted.ts';

const LINE_FEED = Uint8Array.of(0x0a);

type Lines = AsyncIterable<readonly StoredEvent[]>;

export async function* exportJsonl(lines: Lines): AsyncGenerator<readonly Uint8Array[], void, void> {
  for await (const batch of lines) yield batch.flatMap(({ raw }) => [raw, LINE_FEED]);
}

export async function* exportRedactedJsonl(
  lines: Lines,
  redact: Redact,
): AsyncGenerator<readonly string[], void, void> {
  for await (const batch of lines) yield batch.map((line) => redactedLine(line, redact));
}

function redactedLine({ seq, ts, type, turn, id, data }: StoredEvent, redact: Redact): string {
  return `${JSON.stringify({ seq, ts, type, turn, id, data: redactedValue(data, redact) })}\n`;
}
