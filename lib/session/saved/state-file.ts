// `<id>.state.json`: what a resume needs, so that it need not read the journal again. One JSON object in two lines:
//
//   {"head":{…},"xxh64":"…",      which line of the journal it was made from, by which folds, and what a list says of
//                                 the session: a kilobyte, so that a list reads nothing else
//   "states":{…}}                 the states, with the entries of the view: as large as a window of the model
//
// The head is followed by its checksum, and holds that of the states, so a file that a disk has changed is not used.
// The file is replaced as a whole, so that both parts belong together, and only once its line is on the device. It is
// derived and disposable: if its line, its folds or its format are outdated, the journal is read instead. It is also a
// witness: a state file that knows a later line than the journal proves that acknowledged events were lost.
import { checksum } from '../../journal/line/checksum.ts';
import type { Anchor, JournalStore } from '../../journal/types.ts';
import { isObject, parseObject } from '../../platform/json.ts';
import type { ReplayCounts } from '../../projections/replayer.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import { isAnchor } from './anchor.ts';

const FORMAT = 5;
const BEFORE_HEAD = '{"head":';
const BEFORE_STATES = ',\n"states":';
const END = '}\n';
/** The length of the checksum after a head. */
const SEAL_LENGTH = ',"xxh64":"0123456789abcdef"'.length;

/** Nearly every head is shorter; of a longer one the whole file is read. */
const HEAD_BYTES = 2048;

export interface StateHead {
  /** The last event that the states have seen. */
  readonly anchor: Anchor;
  /** The last line that was known to be on the device. */
  readonly synced: Anchor;
  /** `JournalWriter.stamp` when it was saved. */
  readonly stamp?: string | undefined;
  /** How many times the journal had been opened for writing. */
  readonly epoch: number;
  /** The version of each fold that made one of the states, by its name. */
  readonly versions: Readonly<Record<string, number>>;
  /** The format of the journal, and the counts of its replay. */
  readonly journal: { readonly format: number; readonly counts: Readonly<ReplayCounts> };
  /** A short summary of the session from the states. */
  readonly summary: SummaryRow;
}

export interface SavedState extends StateHead {
  /** By the name of each fold, as the versions say that made them. */
  readonly states: Readonly<Record<string, unknown>>;
}

/** The file, in UTF-8. */
export function encodeState({ states, ...head }: SavedState): Uint8Array {
  const text = Buffer.from(JSON.stringify(states));
  const first = sealedHead(JSON.stringify({ format: FORMAT, ...head, states: checksum(text) }));
  return Buffer.concat([Buffer.from(first + BEFORE_STATES), text, Buffer.from(END)]);
}

/** Undefined if the file is torn, changed, or of another format. */
export function decodeState(file: string): SavedState | undefined {
  const headEnd = file.indexOf(BEFORE_STATES);
  const decoded = decodeHead(file.slice(0, Math.max(0, headEnd)));
  if (decoded === undefined || !file.endsWith(END)) return undefined;
  const text = file.slice(headEnd + BEFORE_STATES.length, -END.length);
  const states = checksum(Buffer.from(text)) === decoded.states ? parseObject(text) : undefined;
  return states && { ...decoded, states };
}

/** The state file of a session; undefined if there is none that can be used. */
export async function readState(store: JournalStore, id: string): Promise<SavedState | undefined> {
  const file = await store.readDocument(id, 'state');
  return file === undefined ? undefined : decodeState(file);
}

/** The head of a state file. The states after it may be damaged. */
export async function readStateHead(store: JournalStore, id: string): Promise<StateHead | undefined> {
  let beginning = await store.readDocument(id, 'state', HEAD_BYTES);
  if (beginning === undefined) return undefined;
  // No text in JSON holds a line feed.
  if (!beginning.includes(BEFORE_STATES)) beginning = (await store.readDocument(id, 'state')) ?? '';
  const decoded = decodeHead(beginning.slice(0, Math.max(0, beginning.indexOf(BEFORE_STATES))));
  if (decoded === undefined) return undefined;
  const { states: _, ...head } = decoded;
  return head;
}

/** The first line of the file. */
function sealedHead(text: string): string {
  return `${BEFORE_HEAD}${text},"xxh64":"${checksum(Buffer.from(text))}"`;
}

/** `states`: the checksum of the states. */
function decodeHead(line: string): (StateHead & { readonly states: string }) | undefined {
  const text = line.slice(BEFORE_HEAD.length, -SEAL_LENGTH);
  const value = line === sealedHead(text) ? parseObject(text) : undefined;
  if (value?.format !== FORMAT || !isAnchor(value.anchor) || !isAnchor(value.synced)) return undefined;
  if (![value.versions, value.journal, value.summary].every(isObject)) return undefined;
  const { format: _, ...head } = value;
  return head as unknown as StateHead & { readonly states: string };
}
