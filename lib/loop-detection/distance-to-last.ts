// Where the end of a text stood before. Searched backwards with skips (Horspool), because it is done every few hundred
// characters of an answer: of a thousand places, about a hundred are looked at. Pure.

/** The low bits of a code unit: two that share them only make a skip shorter. */
const BUCKETS = 256;
const skips = new Uint8Array(BUCKETS);

interface Search {
  /** Where the end is. */
  readonly stop: number;
  /** How many units before it are looked for, at most 255. */
  readonly length: number;
  /** How far back at most. */
  readonly most: number;
}

/** How far back the end stands for the last time before; undefined if it does not. */
export function distanceToLast(units: Uint16Array, { stop, length, most }: Search): number | undefined {
  const probe = stop - length;
  // By the first unit of a place that does not match: how far back the next one is that might.
  skips.fill(length);
  for (let offset = length - 1; offset > 0; offset--) skips[units[probe + offset]! % BUCKETS] = offset;
  const first = Math.max(0, probe - most);
  for (let place = probe - 1; place >= first; place -= skips[units[place]! % BUCKETS]!) {
    if (isSame(units, place, probe, length)) return probe - place;
  }
  return undefined;
}

function isSame(units: Uint16Array, one: number, other: number, length: number): boolean {
  let same = 0;
  while (same < length && units[one + same] === units[other + same]) same++;
  return same === length;
}
