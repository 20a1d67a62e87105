// Times in records: as text, and as numbers in the units that programs have.

/** RFC 3339 with milliseconds, so that the order of texts is the order of times. Undefined where it is not a time. */
export function timeOf(at: string | number | undefined): string | undefined {
  if (typeof at === 'string' && EXACT.test(at)) return at;
  const ms = typeof at === 'string' ? Date.parse(at) : (at ?? Number.NaN);
  return ms >= 0 && ms < END_OF_YEARS ? new Date(ms).toISOString() : undefined;
}

const EXACT = /^\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const END_OF_YEARS = Date.UTC(9999, 11, 31);

/** A later number is in milliseconds. */
const LAST_SECOND = 10_000_000_000;

/** The milliseconds of a number that is in seconds, with a fraction in some programs, or in milliseconds. */
export function millisecondsIn(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value > 0)) return undefined;
  return Math.round(value < LAST_SECOND ? value * 1000 : value);
}
