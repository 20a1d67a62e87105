// What is remembered of a pi session between two of its records. Plain JSON, bounded.

/** An entry of the session's tree: the beginning of its id, its first event, and the last one up to it. */
type Place = readonly [key: string, first: number, last: number];

export interface PiState {
  cwd: string;
  title: string;
  provider: string;
  model: string;
  /** The number of the last turn, 0 before the first. */
  turn: number;
  isTurnOpen: boolean;
  /** Answers of the model in the open turn. */
  steps: number;
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The newest entries, in their order. */
  entries: Place[];
}

const KEY_CHARACTERS = 12;
const MAX_ENTRIES = 800;

export function initialState(): PiState {
  return {
    cwd: '',
    title: '',
    provider: '',
    model: '',
    turn: 0,
    isTurnOpen: false,
    steps: 0,
    keptFrom: 1,
    entries: [],
  };
}

export function rememberEntry({ entries }: PiState, id: string, first: number, last: number): void {
  entries.push([keyOf(id), first, last]);
  if (entries.length > 2 * MAX_ENTRIES) entries.splice(0, MAX_ENTRIES);
}

/** The last event up to an entry, if the session went on after it: undefined if it is the newest, or not remembered. */
export function headAt({ entries }: PiState, id: string): number | undefined {
  const index = entries.findLastIndex(([key]) => key === keyOf(id));
  return index === entries.length - 1 ? undefined : entries[index]?.[2];
}

/** The first event of an entry; undefined if it is not remembered. */
export function firstSeqOf({ entries }: PiState, id: string): number | undefined {
  return entries.findLast(([key]) => key === keyOf(id))?.[1];
}

function keyOf(id: string): string {
  return id.slice(0, KEY_CHARACTERS);
}
