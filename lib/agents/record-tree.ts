// The places of a session's newest records among its events, for programs whose records name their predecessor: a
// record that follows an older one starts a new branch from there. Plain JSON, bounded.

import { keyOf } from './record-key.ts';

/** The key of a record's id, its first event, and the last event up to it. */
export type RecordPlace = readonly [key: string, first: number, last: number];

const MAX_RECORDS = 700;

export function rememberRecord(places: RecordPlace[], id: string, first: number, last: number): void {
  places.push([keyOf(id), first, last]);
  if (places.length > 2 * MAX_RECORDS) places.splice(0, MAX_RECORDS);
}

/** The last event up to a record, if the session continued after it: undefined if it is the newest, or forgotten. */
export function headAt(places: readonly RecordPlace[], id: string): number | undefined {
  const index = places.findLastIndex(([key]) => key === keyOf(id));
  return index === places.length - 1 ? undefined : places[index]?.[2];
}

/** The first event of a record; undefined if it is not remembered. */
export function firstSeqOf(places: readonly RecordPlace[], id: string): number | undefined {
  return places.findLast(([key]) => key === keyOf(id))?.[1];
}
