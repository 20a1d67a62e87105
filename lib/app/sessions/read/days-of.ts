// The calendar day and the hour of a time, in a time zone.
import { OllmError } from '../../../errors/index.ts';
import { kept } from '../../../platform/once.ts';

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
  return quarters(formatIn({ timeZone: zone, dateStyle: 'short' }));
}

/**
 * Returns hours of the day from 00 to 23.
 *
 * @example
 * hoursOf('Europe/Berlin')(Date.parse('2026-01-01T23:30:00Z')); // '00'
 * @throws OllmError USAGE (an unknown time zone)
 */
export function hoursOf(zone: string): (ms: number) => string {
  return quarters(formatIn({ timeZone: zone, hour: '2-digit', hourCycle: 'h23' }));
}

/** Formats each quarter of an hour once. */
function quarters(format: Intl.DateTimeFormat): (ms: number) => string {
  const known = new Map<number, string>();
  return (ms) => kept(known, Math.floor(ms / QUARTER_MS), (quarter) => format.format(quarter * QUARTER_MS));
}

/** The calendar of Sweden writes dates as ISO 8601 does. */
function formatIn(options: Intl.DateTimeFormatOptions & { readonly timeZone: string }): Intl.DateTimeFormat {
  const { timeZone } = options;
  try {
    return new Intl.DateTimeFormat('sv-SE', options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OllmError('USAGE', `${JSON.stringify(timeZone)} is not the name of a time zone.`, {
      hint: 'Zones have names such as UTC, Europe/Berlin or America/New_York.',
    });
  }
}
