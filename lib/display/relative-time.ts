// How long ago something was, for a person; the date once that says more.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `just now`, `40 min ago`, `yesterday`, `2026-11-21`; nothing for other text. */
export function relativeTime(ts: string, nowMs: number): string {
  const then = Date.parse(ts);
  if (Number.isNaN(then)) return '';
  const age = nowMs - then;
  if (age < MINUTE_MS) return 'just now';
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  if (age < 2 * DAY_MS) return 'yesterday';
  if (age < 14 * DAY_MS) return `${Math.floor(age / DAY_MS)} days ago`;
  return ts.slice(0, 10);
}
