// Converts an event of another program's session for the journal of its import: pointers to other events get their
// places there, attachments their names in the store, and the event is made to fit into a line.
import type { ForeignEvent } from '../agents/agent.ts';
import { NO_TIME } from '../events/time-of.ts';
import type { JournalStore, JsonObject, NewEvent } from '../journal/types.ts';
import { pointAtNewPlaces } from '../session/copy-events.ts';

/** A line with this many bytes of JSON may be too long once it is sealed. */
const MAX_JSON_BYTES = 3 * 2 ** 20;
const MAX_TEXT = 128 * 1024;

interface ImportedEventOptions {
  readonly id: string;
  readonly store: Pick<JournalStore, 'putBlob'>;
  readonly keepsOutputs: boolean;
  /** The seq in the journal of each event of the source, by its number. */
  readonly stored: readonly number[];
  /** The seq that the next event will have. */
  readonly next: number;
}

/** When it happened, as far as its source says so: the time of its record, or else of one before it. */
export function timeOfEvent({ ts, data: { at } }: ForeignEvent): { readonly at?: unknown } {
  if (at !== undefined) return { at };
  return ts === NO_TIME ? {} : { at: ts };
}

export async function importedEvent(event: ForeignEvent, options: ImportedEventOptions): Promise<NewEvent> {
  const { keepsOutputs, stored, next } = options;
  const { type, turn } = event;
  const isLeftOut = !keepsOutputs && type === 'tool.finished';
  let data = isLeftOut ? withoutOutput(event.data) : event.data;
  data = pointAtNewPlaces(
    { type, data },
    {
      atOrBefore: (seq) => stored[Math.min(seq, stored.length - 1)] ?? 0,
      atOrAfter: (seq) => stored[seq] ?? next + seq - stored.length,
    },
  );
  if (!isLeftOut) data = await withAttachments(event, data, options);
  return { type, data: { ...fitting(data, event), ...timeOfEvent(event) }, ...(turn === undefined ? {} : { turn }) };
}

/** As a turn does it for outputs that are not to be stored. */
function withoutOutput(data: JsonObject): JsonObject {
  const { result, truncated, blob: _, encoding: __, ...rest } = data;
  const content = String((result as JsonObject | undefined)?.llmContent ?? '');
  const before = (truncated as { originalBytes?: number } | undefined)?.originalBytes;
  const originalBytes = before ?? Buffer.byteLength(content);
  const llmContent = `The output, ${originalBytes} bytes, was not kept (retention.storeToolOutputs is off).`;
  return { ...rest, result: { llmContent }, truncated: { originalBytes, keptBytes: 0 } };
}

/** In a sealed session, the name of an attachment is not that of its content. */
async function withAttachments(
  { attachments = [] }: ForeignEvent,
  data: JsonObject,
  { store, id }: ImportedEventOptions,
): Promise<JsonObject> {
  if (attachments.length === 0) return data;
  const names = new Map<unknown, string>();
  for (const { blob, base64 } of attachments) names.set(blob, await store.putBlob(Buffer.from(base64, 'base64'), id));
  return [...names].some(([from, to]) => from !== to) ? (renamed(data, names) as JsonObject) : data;
}

function renamed(value: unknown, names: ReadonlyMap<unknown, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renamed(member, names)]));
}

/** Long texts are cut where all of them together are too much for a line. */
function fitting(data: JsonObject, { data: { origin } }: ForeignEvent): JsonObject {
  const { length = 0 } = (origin ?? {}) as { readonly length?: number };
  if (length <= MAX_JSON_BYTES || Buffer.byteLength(JSON.stringify(data)) <= MAX_JSON_BYTES) return data;
  return cut(data) as JsonObject;
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.length <= MAX_TEXT) return value;
    return `${value.slice(0, MAX_TEXT).toWellFormed()}\n… ${value.length - MAX_TEXT} more characters are in the source.`;
  }
  if (Array.isArray(value)) return value.map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member)]));
}
