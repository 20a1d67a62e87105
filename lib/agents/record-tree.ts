// The places of a session's newest records among its events, for programs whose records name their predecessor: a
// record that follows an older one starts a new branch from there. Plain JSON, bounded.
import type { Given } from './given.ts';
import { keyOf } from './record-key.ts';
import { moveTo, type TurnState } from './turns.ts';

/** The key of a record's id, its first event, and the last event up to it. */
export type RecordPlace = readonly [key: string, first: number, last: number];

const MAX_RECORDS = 700;

interface TreeRecord {
  /** Undefined of one that no other follows. */
  readonly id: string | undefined;
  readonly parent: string | undefined;
  /** Whether the conversation goes on from it: a label, for one, leaves it as it is. */
  readonly isMove: boolean;
}

/** Reads a record where it is in the tree: on a new branch, if it follows an older one that is remembered. */
export function readInTree(
  places: RecordPlace[],
  { id, parent, isMove }: TreeRecord,
  given: Given<TurnState>,
  read: () => void,
): void {
  const at = parent === undefined ? -1 : places.findLastIndex(([key]) => key === keyOf(parent));
  const head = at === places.length - 1 ? undefined : places[at]?.[2];
  if (head !== undefined && isMove) moveTo(head, 'branch', given);
  const first = given.seq;
  read();
  if (id === undefined) return;
  // A record without events is where the one is that it follows.
  places.push([keyOf(id), first, given.seq > first ? given.seq - 1 : (head ?? first - 1)]);
  if (places.length > 2 * MAX_RECORDS) places.splice(0, MAX_RECORDS);
}

/** The first event of a record; undefined if it is not remembered. */
export function firstSeqOf(places: readonly RecordPlace[], id: string): number | undefined {
  return places.findLast(([key]) => key === keyOf(id))?.[1];
}
