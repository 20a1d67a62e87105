// How long ago something was, or since when, as a person types it.
const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Milliseconds; undefined for any other text.
 *
 * @example
 * ageIn('90m'); // 5_400_000
 */
export function ageIn(text: string): number | undefined {
  const [, amount, unit] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const ageMs = Number(amount) * (UNITS_MS[unit ?? ''] ?? Number.NaN);
  return Number.isSafeInteger(ageMs) ? ageMs : undefined;
}

/**
 * The time of an age, a day, or a time of RFC 3339, in milliseconds since 1970; a day begins in UTC. Undefined for any
 * other text.
 *
 * @example
 * sinceIn('2026-11-21', Date.now()); // 1_795_219_200_000
 */
export function sinceIn(text: string, nowMs: number): number | undefined {
  const ageMs = ageIn(text);
  if (ageMs !== undefined) return nowMs - ageMs;
  const ms = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
