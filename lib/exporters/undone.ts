// Which events a session has left behind: `/undo` and its kin move the head back, and what lay between is no longer
// part of the conversation. Nothing is removed, so an export shows those parts and says so.

export interface Move {
  /** seq of the branch.moved. */
  readonly at: number;
  /** seq of the event that what follows continues from. */
  readonly head: number;
}

export interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/** The ranges left behind, as seen from the event `last`; `moves` in the order of the journal. */
export function undoneRanges(moves: readonly Move[], last: number): readonly SeqRange[] {
  const ranges: SeqRange[] = [];
  let reached = last;
  for (const move of moves.toReversed()) {
    if (move.at > reached || move.head >= move.at) continue;
    if (move.head + 1 < move.at) ranges.push({ from: move.head + 1, to: move.at - 1 });
    reached = move.head;
  }
  return ranges.reverse();
}

/** Answers whether an event was left behind; to be asked in rising order of seq. */
export function undoneTest(ranges: readonly SeqRange[]): (seq: number) => boolean {
  let next = 0;
  return (seq) => {
    while (next < ranges.length && ranges[next]!.to < seq) next += 1;
    const range = ranges[next];
    return range !== undefined && range.from <= seq;
  };
}
