// When an event happened, which is not when it was stored where another program recorded it first.

/** The time of storing where an event is not stored, and its source has no time. */
export const NO_TIME = '';

/**
 * When an event happened, in RFC 3339: its original time; for an event of another program without one undefined, and
 * else when it was stored.
 *
 * @example
 * timeOf({ ts: '2026-11-23T04:00:00.000Z', data: { at: '2024-01-15T10:30:00Z' } }); // '2024-01-15T10:30:00Z'
 */
export function timeOf({
  ts,
  data: { at, origin },
}: {
  readonly ts: string;
  readonly data: { readonly at?: unknown; readonly origin?: unknown };
}): string | undefined {
  if (typeof at === 'string' && !Number.isNaN(Date.parse(at))) return at;
  return origin === undefined && ts !== NO_TIME ? ts : undefined;
}
