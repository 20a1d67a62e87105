// The line of a journal that a derived file was made from, as the file holds it: the file may be torn or foreign.
import type { Anchor } from '../../journal/types.ts';
import { isObject } from '../../platform/json.ts';

export function isAnchor(value: unknown): value is Anchor {
  return (
    isObject(value) &&
    typeof value.seq === 'number' &&
    typeof value.offset === 'number' &&
    typeof value.xxh64 === 'string'
  );
}
