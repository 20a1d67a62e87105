// The calendar day of a time, in a time zone.
import { OllmError } from '../../../errors/index.ts';

/** The offset of each time zone is a multiple of it. */
const QUARTER_MS = 900_000;

/**
 * Returns dates as YYYY-MM-DD. `zone`: a name of the IANA data base.
 *
 * @example
 * daysOf('Europe/Berlin')(Date.parse('2026-01-01T23:30:00Z')); // '2026-01-02'
 * @throws OllmError USAGE (an unknown time zone)
 */
export function daysOf(zone: string): (ms: number) => string {
  const known = new Map<number, string>();
  const format = formatIn(zone);
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_MS);
    let day = known.get(quarter);
    if (day === undefined) {
      day = format.format(quarter * QUARTER_MS);
      known.set(quarter, day);
    }
    return day;
  };
}

/** The calendar of Sweden writes dates as ISO 8601 does. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OllmError('USAGE', `${JSON.stringify(timeZone)} is not the name of a time zone.`, {
      hint: 'Zones have names such as UTC, Europe/Berlin or America/New_York.',
    });
  }
}
