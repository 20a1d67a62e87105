// Which events the conversation runs through. A journal is a sequence of events; branch.moved makes a tree of it: the
// event after it continues from an older one. Events off the path from there to the beginning stay, on a branch that
// was left. Grows only by two numbers with each move.

export interface Branches {
  /** Each move, oldest first: the event after `at` continues from `head`. */
  jumps: { at: number; head: number }[];
  /** The way to here, oldest first: closed stretches of seq, and then all from `from` on. */
  stretches: { from: number; to: number }[];
  from: number;
}

export function noBranches(): Branches {
  return { jumps: [], stretches: [], from: 0 };
}

/** Whether the event is on the path from the beginning to here. */
export function isOnActiveBranch(branches: Branches, seq: number): boolean {
  return seq >= branches.from || branches.stretches.some(({ from, to }) => from <= seq && seq <= to);
}

/** Continues after `head`, which must be older than the move itself: another move is none, and ignored. */
export function moveTo(branches: Branches, at: number, head: number): boolean {
  if (head >= at) return false;
  branches.stretches = wayTo(branches.jumps, head);
  branches.jumps.push({ at, head });
  branches.from = at + 1;
  return true;
}

/** As they were before the event at `seq`. */
export function branchesAt({ jumps }: Branches, seq: number): Branches {
  const earlier = jumps.filter(({ at }) => at < seq);
  const last = earlier.at(-1);
  if (last === undefined) return noBranches();
  return { jumps: earlier, stretches: wayTo(earlier.slice(0, -1), last.head), from: last.at + 1 };
}

function wayTo(jumps: Branches['jumps'], head: number): Branches['stretches'] {
  const stretches: Branches['stretches'] = [];
  let end = head;
  for (const jump of jumps.toReversed()) {
    if (jump.at > end) continue;
    if (jump.at < end) stretches.unshift({ from: jump.at + 1, to: end });
    end = jump.head;
  }
  return [{ from: 0, to: end }, ...stretches];
}
