// How events of older formats become events of today's. A journal is never rewritten: each reading takes an old event
// through the steps from its format to ours. A type without a step for a format did not change in it.
import { FORMAT } from '../../journal/format.ts';
import type { JsonObject } from '../../journal/types.ts';

/** What a step looks at and gives back. A type may be renamed on the way. */
export interface Upcastable {
  readonly type: string;
  readonly data: JsonObject;
}

/** A step from one format to the next. It must return events that it does not understand unchanged. */
export type UpcastStep = (event: Upcastable) => Upcastable;

/** Steps by the format that they start from, then by type. */
export type UpcastTable = ReadonlyMap<number, ReadonlyMap<string, UpcastStep>>;

/** Format 1 is the first: there is nothing to take anywhere yet. */
export const UPCASTS: UpcastTable = new Map();

/** Takes an event that was written in `format` to the format `to`. An event that no step touches comes back itself. */
export function upcast<Subject extends Upcastable>(
  event: Subject,
  { format, table = UPCASTS, to = FORMAT }: { format: number; table?: UpcastTable; to?: number },
): Subject | Upcastable {
  let current: Subject | Upcastable = event;
  for (let from = format; from < to; from++) current = table.get(from)?.get(current.type)?.(current) ?? current;
  return current;
}
