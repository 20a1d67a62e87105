// The times of Crush: seconds, although its schema calls them milliseconds.

/** A later number is in milliseconds. */
const LAST_SECOND = 10_000_000_000;

export function millisecondsOf(value: unknown): number | undefined {
  if (typeof value !== 'number' || value <= 0) return undefined;
  return value < LAST_SECOND ? value * 1000 : value;
}
