// What the derived files have in common: JSON that may be torn or foreign, and the line that it was made from.
import type { Anchor } from '../journal/types.ts';

/** Undefined if the text is not a JSON object: torn, edited, or empty. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function isAnchor(value: unknown): value is Anchor {
  return (
    isObject(value) &&
    typeof value.seq === 'number' &&
    typeof value.offset === 'number' &&
    typeof value.xxh64 === 'string'
  );
}
