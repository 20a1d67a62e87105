// When an event happened, which is not when it was stored where another program recorded it first.

/**
 * The original time of an event as far as it is known; else when it was stored. RFC 3339.
 *
 * @example
 * timeOf({ ts: '2026-11-23T04:00:00.000Z', data: { at: '2024-01-15T10:30:00Z' } }); // '2024-01-15T10:30:00Z'
 */
export function timeOf({
  ts,
  data: { at },
}: {
  readonly ts: string;
  readonly data: { readonly at?: unknown };
}): string {
  return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? at : ts;
}
