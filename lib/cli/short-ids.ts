// Ids as short as they can be and still be unique: what a person reads and types.

const SHORTEST = 8;

/** For each id a prefix that no other of them begins with; names that are short stay whole. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...ids].sort();
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(sharedLength(id, sorted[index - 1]), sharedLength(id, sorted[index + 1]));
      const length = Math.max(SHORTEST, shared + 1);
      return [id, id.length <= length + 4 ? id : id.slice(0, length)];
    }),
  );
}

function sharedLength(a: string, b: string | undefined): number {
  let length = 0;
  while (b !== undefined && length < a.length && a[length] === b[length]) length += 1;
  return length;
}
