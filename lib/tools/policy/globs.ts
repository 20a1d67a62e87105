// Patterns of rules, for paths and for single words. In time proportional to pattern times text for any input: a model
// chooses the paths, and must not be able to stall the program by one. `*` and `?` stay within one part of a path, `**`
// matches any number of parts; no other sign has a meaning.

/** Whether a text has the pattern's form; `*` matches any characters, `?` a single one. */
export function matchesWord(pattern: string, text: string): boolean {
  const characters = [...pattern];
  return matchSequence(
    characters.length,
    [...text],
    (index) => characters[index] === '*',
    (index, character) => characters[index] === '?' || characters[index] === character,
  );
}

/** Both with `/` between the parts, neither with one at the end. */
export function matchesPath(pattern: string, path: string): boolean {
  const parts = pattern.split('/');
  return matchSequence(
    parts.length,
    path.split('/'),
    (index) => parts[index] === '**',
    (index, part) => matchesWord(parts[index] ?? '', part),
  );
}

/** Goes through the items once with the set of places that the pattern may be at. */
function matchSequence(
  length: number,
  items: readonly string[],
  isAny: (index: number) => boolean,
  fits: (index: number, item: string) => boolean,
): boolean {
  let places = new Set<number>();
  const enter = (index: number, into: Set<number>) => {
    into.add(index);
    for (let at = index; at < length && isAny(at); at += 1) into.add(at + 1);
  };
  enter(0, places);
  for (const item of items) {
    const next = new Set<number>();
    for (const at of places) {
      if (at >= length) continue;
      if (isAny(at)) enter(at, next);
      else if (fits(at, item)) enter(at + 1, next);
    }
    places = next;
    if (places.size === 0) return false;
  }
  return places.has(length);
}
