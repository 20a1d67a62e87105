// What was said, in order, and which of it counts now: undone turns are aside (branches.ts), compacted ones are covered.
// Nothing leaves by that, so that an undo can be undone. Only `forget` lets go of entries, the oldest whole turns first, and
// keeps a condensed span of them. When a move needs what was forgotten, `incomplete` says so: the owner replays the journal.
import { type Branches, isOnTheWay, moveTo, noBranches } from './branches.ts';

export interface Entry {
  readonly seq: number;
  tokens: number;
  /** A user message: whole turns are kept or forgotten. */
  readonly startsTurn?: true;
  /** The system prompt: neither covered, nor undone, nor forgotten. */
  readonly pinned?: true;
}

/** Entries that were forgotten: all between two seq, both inclusive, on one branch. */
export interface Span {
  readonly from: number;
  to: number;
}

/** A compaction, as far as it changes what counts. */
export interface Checkpoint {
  readonly seq: number;
  /** Entries before this seq are covered. */
  readonly keptFrom: number;
  readonly summary?: string;
  readonly tokens: number;
  /** seq of the compaction.undone that took it back. */
  undoneAt?: number;
}

export interface Timeline<Held extends Entry, Forgotten extends Span> {
  branches: Branches;
  /** Oldest first. */
  entries: Held[];
  forgotten: Forgotten[];
  checkpoints: Checkpoint[];
  /** True once a checkpoint was forgotten; which one it was does not matter. */
  checkpointsForgotten: boolean;
  /** Everything before is covered by a compaction. */
  keptFrom: number;
  /** The last seq that was forgotten; absent if none was. */
  trimmedTo?: number;
  /** Something that counts was forgotten: what this says is too little. */
  incomplete: boolean;
}

export function emptyTimeline<Held extends Entry, Forgotten extends Span>(): Timeline<Held, Forgotten> {
  return {
    branches: noBranches(),
    entries: [],
    forgotten: [],
    checkpoints: [],
    checkpointsForgotten: false,
    keptFrom: 0,
    incomplete: false,
  };
}
void isOnTheWay;
void moveTo;
