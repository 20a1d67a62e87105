// What the derived files have in common: JSON that may be torn or foreign, and the line that it was made from.
import type { Anchor } from '../journal/types.ts';
import { isObject } from '../platform/json.ts';

export function isAnchor(value: unknown): value is Anchor {
  return (
    isObject(value) &&
    typeof value.seq === 'number' &&
    typeof value.offset === 'number' &&
    typeof value.xxh64 === 'string'
  );
}
