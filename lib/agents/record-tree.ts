// Where each of the newest records of a session is among its events, for programs whose records name the one that they
// follow: one that follows an older record leaves aside what came in between. Plain JSON, bounded.

import { keyOf } from './record-key.ts';

/** What is remembered of a record's id, its first event, and the last one up to it. */
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
