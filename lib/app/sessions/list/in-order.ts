// The rows of an index that are listed, and those that were read, in the order of a list.
import type { IndexAnswer } from './ask-index.ts';
import type { PrintedIndex } from './printed-index.ts';
import { activityOf, compareActivity, type SessionRow } from './session-row.ts';

/** Neighbours in the index, whose bytes are copied together: by their place in the order of a list, the last one excluded. */
export interface Neighbours {
  readonly kind: 'indexed';
  readonly from: number;
  readonly to: number;
}

export type Listed = Neighbours | { readonly kind: 'read'; readonly row: SessionRow };

export function* inOrder({ index, holds, rows, limit }: IndexAnswer): Generator<Listed, void, void> {
  const { ids, order, activities } = index;
  const [times, names] = rows.length === 0 ? [[], []] : [activities(), ids()];
  let left = limit;
  let next = 0;
  let from = 0;
  let to = 0;
  for (let rank = 0; rank < order.length && left > 0; rank += 1) {
    const number = order[rank]!;
    if (holds[number] !== 1) continue;
    for (; left > 0 && next < rows.length; next += 1, left -= 1) {
      const row = rows[next]!;
      if (compareActivity(activityOf(row), row.id, times[rank] ?? '', names[number]!) > 0) break;
      if (from < to) yield { kind: 'indexed', from, to };
      from = to;
      yield { kind: 'read', row };
    }
    if (left === 0) break;
    if (rank > to) {
      if (from < to) yield { kind: 'indexed', from, to };
      from = rank;
    }
    to = rank + 1;
    left -= 1;
  }
  if (from < to) yield { kind: 'indexed', from, to };
  for (const row of rows.slice(next, next + left)) yield { kind: 'read', row };
}

/** What the index has of them. */
export function textOf({ ends, text }: PrintedIndex, { from, to }: Neighbours): Uint8Array {
  return text.subarray(from === 0 ? 0 : ends[from - 1]!, ends[to - 1]!);
}
