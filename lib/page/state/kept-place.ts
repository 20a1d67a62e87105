// Where the reader was: in a list by the entry of the history, so that Back leads to the same rows, and in a
// conversation by the session, so that it opens where this tab left it.

const places = new Map<string, number>();

/** Names the entry of the history that is shown. */
function entry(): string {
  const known = (history.state as { entry?: string } | null)?.entry;
  if (known !== undefined) return known;
  const made = newEntry();
  history.replaceState(made, '');
  return made.entry;
}

let made = 0;

/** A state for a further entry of the history. */
export function newEntry(): { readonly entry: string } {
  made += 1;
  return { entry: `${Date.now().toString(36)}-${made}` };
}

export function notePlace(top: number): void {
  places.set(entry(), top);
}

/** In pixels from the top; 0 where the entry is new. */
export function placeKept(): number {
  return places.get(entry()) ?? 0;
}

/** An event, and how far its top is from the top of the column. */
export interface ReadingPlace {
  readonly seq: number;
  readonly top: number;
}

/** Undefined: at the end. */
export function noteReading(address: string, place: ReadingPlace | undefined): void {
  try {
    if (place === undefined) sessionStorage.removeItem(nameOf(address));
    else sessionStorage.setItem(nameOf(address), JSON.stringify(place));
  } catch {
    // Without room in the browser the session opens at its end.
  }
}

export function readingKept(address: string): ReadingPlace | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(nameOf(address)) ?? 'null') as ReadingPlace | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function nameOf(address: string): string {
  return `place ${address}`;
}
