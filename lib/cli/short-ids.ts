// Ids as short as they can be and still be unique: what a person reads and types.
import type { Cells } from './table.ts';

const SHORTEST = 8;
/** So many more are not worth cutting off. */
const SPARED = 4;

/**
 * For each id a prefix that no other of them begins with; names that are short stay whole. `byName`: the rows in an order in
 * which ids that begin alike are neighbours.
 */
export function shortIds({ bytes, starts, ends }: Cells, byName: Uint32Array): Cells {
  const shortEnds = new Uint32Array(ends.length);
  let sharedBefore = 0;
  for (let place = 0; place < byName.length; place += 1) {
    const row = byName[place]!;
    const sharedBehind = place + 1 < byName.length ? sharedWith(row, byName[place + 1]!) : 0;
    const length = Math.max(SHORTEST, sharedBefore + 1, sharedBehind + 1);
    const end = starts[row]! + length;
    shortEnds[row] = ends[row]! <= end + SPARED ? ends[row]! : end;
    sharedBefore = sharedBehind;
  }
  return { bytes, starts, ends: shortEnds };

  function sharedWith(row: number, other: number): number {
    const start = starts[row]!;
    const otherStart = starts[other]!;
    const most = Math.min(ends[row]! - start, ends[other]! - otherStart);
    let length = 0;
    while (length < most && bytes[start + length] === bytes[otherStart + length]) length += 1;
    return length;
  }
}
