// Ids as short as they can be and still be unique: what a person reads and types.

const SHORTEST = 8;
/** So many more characters are not worth cutting off. */
const SPARED = 4;

/** For each id a prefix that no other of them begins with, in their order. Short names stay whole. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const sorted = [...ids].sort();
  const lengths = new Map<string, number>();
  for (const [place, id] of sorted.entries()) {
    const shared = Math.max(sharedBeginning(id, sorted[place - 1]), sharedBeginning(id, sorted[place + 1]));
    lengths.set(id, Math.max(SHORTEST, shared + 1));
  }
  return ids.map((id) => {
    const length = lengths.get(id)!;
    return id.length <= length + SPARED ? id : id.slice(0, length);
  });
}

/** Characters that both begin with. */
function sharedBeginning(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
