// The head of `<id>.state.json`: its first line, short enough to be read without the rest. It says which line of the
// journal the file was made from, and what a list says of the session. The file is replaced as a whole, so that head
// and states always belong together; checksums of both tell one that a disk has changed.
import type { Anchor, JournalStore } from '../journal/types.ts';
import { isObject, parseObject } from '../platform/json.ts';
import type { ReplayCounts } from '../projections/replayer.ts';
import type { SummaryRow } from '../projections/summary.ts';
import { isAnchor } from './document-parts.ts';
import { isSealed, seal } from './sealed.ts';

const FORMAT = 4;
const BEGINNING = '{"head":';

/** Nearly every head is shorter; of a longer one the whole file is read. */
const HEAD_BYTES = 2048;

export interface StateHead {
  /** The last event that the states have seen. */
  readonly anchor: Anchor;
  /** The last line that was known to be on the device. */
  readonly synced: Anchor;
  /** How many times the journal had been opened for writing. */
  readonly epoch: number;
  /** Bytes of the journal that the snapshot beside it covers. */
  readonly snapshotOffset: number;
  /** The version of each fold that made one of the states, by its name. */
  readonly versions: Readonly<Record<string, number>>;
  /** The format that the journal was written in, and what was seen of it. */
  readonly journal: { readonly format: number; readonly counts: Readonly<ReplayCounts> };
  /** What the states say of the session in short. */
  readonly summary: SummaryRow;
}

/** Checksums of what stands behind the head. */
export interface StateSums {
  readonly states: string;
  readonly entries: string;
}

export function encodeStateHead(head: StateHead, sums: StateSums): string {
  return `${BEGINNING}${seal(JSON.stringify({ format: FORMAT, ...head, sums }))}`;
}

export type DecodedStateHead = StateHead & { readonly sums: StateSums };

/** `line`: the first of the file. Undefined if it is none of ours: torn, changed, or of another format. */
export function decodeStateHead(line: string): DecodedStateHead | undefined {
  const text = line.slice(BEGINNING.length);
  const value = line.startsWith(BEGINNING) && isSealed(text) ? parseObject(text) : undefined;
  if (!isObject(value) || value.format !== FORMAT || !isAnchor(value.anchor) || !isAnchor(value.synced))
    return undefined;
  if (![value.versions, value.journal, value.summary, value.sums].every(isObject)) return undefined;
  const { format: _, xxh64: __, ...head } = value;
  return head as unknown as DecodedStateHead;
}

/** The head of a session's state file; undefined if there is none that can be read. */
export async function readStateHead(store: JournalStore, id: string): Promise<StateHead | undefined> {
  const beginning = await store.readDocumentHead(id, 'state', HEAD_BYTES);
  if (beginning === undefined) return undefined;
  // The file is one JSON object: a comma ends its first line, and no text in it holds a line feed.
  const lineEnd = beginning.indexOf(',\n');
  if (lineEnd >= 0) return decodeStateHead(beginning.slice(0, lineEnd));
  const text = (await store.readDocument(id, 'state')) ?? '';
  return decodeStateHead(text.slice(0, Math.max(0, text.indexOf(',\n'))));
}
