// Where the reader was: in a list by the entry of the history, so that Back leads to the same rows, and in a
// conversation by the session, so that it opens where this tab left it.
import { store, storedJson } from './stored.ts';

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
    store(sessionStorage, nameOf(address), place && JSON.stringify(place));
  } catch {
    // Without room in the browser the session opens at its end.
  }
}

export function readingKept(address: string): ReadingPlace | undefined {
  return storedJson<ReadingPlace>(sessionStorage, nameOf(address));
}

function nameOf(address: string): string {
  return `place ${address}`;
}
