// A list, put together of the bytes that its index holds and of the rows that were read.
import { FORMS, type ListForm } from './list-forms.ts';
import type { PrintedIndex } from './printed-index.ts';
import { activityOf, compareActivity, type SessionRow } from './session-row.ts';

/** The rows of the index that hold, and those that were read, in the order of a list. Undefined if there are none. */
export function pieces(
  form: ListForm,
  index: PrintedIndex,
  holds: Uint8Array,
  rows: readonly SessionRow[],
  limit: number,
): readonly Uint8Array[] | undefined {
  const { open, between, close } = FORMS[form];
  const isWhole = rows.length === 0 && limit >= index.count && !holds.includes(0);
  const text = isWhole ? index.text : Buffer.concat([...mixed(form, index, holds, rows, limit)]);
  if (text.length === 0) return undefined;
  return [Buffer.from(open), text.subarray(0, text.length - between.length), Buffer.from(close)];
}

function* mixed(
  form: ListForm,
  { ids, order, activities, ends, text }: PrintedIndex,
  holds: Uint8Array,
  rows: readonly SessionRow[],
  limit: number,
): Generator<Uint8Array, void, void> {
  const { of, between } = FORMS[form];
  const [times, names] = rows.length === 0 ? [[], []] : [activities(), ids()];
  let left = limit;
  let next = 0;
  /** Bytes of neighbours, which are copied together. */
  let from = 0;
  let to = 0;
  for (let rank = 0; rank < order.length && left > 0; rank += 1) {
    const number = order[rank]!;
    if (holds[number] !== 1) continue;
    for (; left > 0 && next < rows.length; next += 1, left -= 1) {
      const row = rows[next]!;
      if (compareActivity(activityOf(row), row.id, times[rank] ?? '', names[number]!) > 0) break;
      yield text.subarray(from, to);
      from = to;
      yield Buffer.from(`${of(row)}${between}`);
    }
    if (left === 0) break;
    const start = rank === 0 ? 0 : ends[rank - 1]!;
    if (start !== to) {
      yield text.subarray(from, to);
      from = start;
    }
    to = ends[rank]!;
    left -= 1;
  }
  yield text.subarray(from, to);
  for (const row of rows.slice(next, next + left)) yield Buffer.from(`${of(row)}${between}`);
}
