// How long ago something was, as a person types it.
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
