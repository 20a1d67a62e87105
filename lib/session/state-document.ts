// `<id>.state.json`: what a resume needs, so that it need not read the journal again. Derived and disposable: it names
// the line it was made from and the versions of its folds, and is used only where both still hold. It also is a
// witness: one that knows a later line than the journal has says that acknowledged events were lost.
import type { JournalStore } from '../journal/types.ts';
import { parseObject } from '../platform/json.ts';
import { encodeEntries } from './encode-entries.ts';
import { giveLateEntries, withoutEntries } from './late-entries.ts';
import { checksumOf } from './sealed.ts';
import { decodeStateHead, encodeStateHead, type StateHead } from './state-head.ts';

const BEFORE_STATES = ',\n"states":';
const BEFORE_ENTRIES = ',\n"entries":';
const END = '}\n';

export interface StateDocument extends StateHead {
  /** By the name of each fold, as the versions say that made them. */
  readonly states: Readonly<Record<string, unknown>>;
}

/** One JSON object in three lines: the head, the states, and the entries of the view. In UTF-8. */
export function encodeStateDocument({ states, ...head }: StateDocument): Uint8Array {
  const parts = withoutEntries(states);
  const text = Buffer.from(JSON.stringify(parts.states));
  const entries = encodeEntries(parts.entries);
  const sums = { states: checksumOf(text), entries: checksumOf(entries) };
  const pieces = [encodeStateHead(head, sums), BEFORE_STATES, text, BEFORE_ENTRIES, entries, END];
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/**
 * Undefined if the bytes are none of ours: torn, edited, or of another format. All of them are held against their
 * checksums now; the entries of the view are made objects when they are first looked at.
 */
export function decodeStateDocument(bytes: Uint8Array): StateDocument | undefined {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const headEnd = document.indexOf(BEFORE_STATES);
  const statesEnd = document.indexOf(BEFORE_ENTRIES, headEnd + BEFORE_STATES.length);
  if (headEnd < 0 || statesEnd < 0 || !document.subarray(-END.length).equals(Buffer.from(END))) return undefined;
  const decoded = decodeStateHead(document.toString('utf8', 0, headEnd));
  const states = document.subarray(headEnd + BEFORE_STATES.length, statesEnd);
  const entries = document.subarray(statesEnd + BEFORE_ENTRIES.length, -END.length);
  if (decoded?.sums.states !== checksumOf(states) || decoded.sums.entries !== checksumOf(entries)) return undefined;
  const parsed = parseObject(states.toString());
  if (parsed === undefined) return undefined;
  giveLateEntries(parsed, () => JSON.parse(entries.toString()));
  const { sums: _, ...head } = decoded;
  return { ...head, states: parsed };
}

/** The state file of a session; undefined if there is none that can be read. */
export async function readSavedState(store: JournalStore, id: string): Promise<StateDocument | undefined> {
  const bytes = await store.readDocumentBytes(id, 'state');
  return bytes && decodeStateDocument(bytes);
}
