// Takes secrets out of an export: every text inside an event goes through the given redactor.
import type { OllmEvent } from '../events/index.ts';
import type { ExportItem } from './item.ts';

export type RedactExport = (text: string) => string;

/** The items with every text in their events redacted. */
export async function* redactedItems(
  items: AsyncIterable<readonly ExportItem[]>,
  redact: RedactExport,
): AsyncGenerator<readonly ExportItem[], void, void> {
  for await (const batch of items) yield batch.map((item) => redactedItem(item, redact));
}

function redactedItem(item: ExportItem, redact: RedactExport): ExportItem {
  if (item.kind !== 'event') return item;
  const { type, seq, ts, turn, id, data } = item.event;
  return { kind: 'event', event: { type, seq, ts, turn, id, data: redactedValue(data, redact) } as OllmEvent };
}

/** A copy of a JSON value with all texts redacted, those in member names too. */
export function redactedValue<Value>(value: Value, redact: RedactExport): Value;
export function redactedValue(value: unknown, redact: RedactExport): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((element) => redactedValue(element, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [redact(name), redactedValue(member, redact)]),
  );
}
