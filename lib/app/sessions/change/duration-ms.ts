// Durations as the settings have them: hours, days or weeks.

const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/** Milliseconds of `12h`, `30d`, `8w`; undefined if it is none of them. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9][0-9]*)([hdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
