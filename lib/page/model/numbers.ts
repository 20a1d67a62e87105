// How the page says numbers, sizes, durations and times. A number that is not known is said in words, never as 0.

/** @example tokens(1_900) // '1.9k' */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${trimmed(count / 1000)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${trimmed(count / 1e6)} M`;
}

/** @example bytes(2_900) // '2.9 kB' */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const [unit, size] =
    count < 999_500 ? (['kB', 1e3] as const) : count < 999.5e6 ? (['MB', 1e6] as const) : ['GB', 1e9];
  const value = count / size;
  return `${value < 9.95 ? trimmed(value) : Math.round(value)} ${unit}`;
}

export function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** US dollars; `undefined` has no price. @example money(0.0042) // '$0.0042' */
export function money(dollars: number | undefined): string {
  if (dollars === undefined) return 'no price';
  if (dollars === 0) return '$0';
  if (dollars < 0.00005) return '<$0.0001';
  return `$${dollars < 0.01 ? dollars.toFixed(4) : grouped(dollars.toFixed(2))}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d)(?=\.|$))/g, ',');
}

/** @example count(1842) // '1,842' */
export function count(value: number): string {
  return grouped(String(value));
}

/** @example duration(91_000) // '1 min 31 s' */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${trimmed(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/**
 * The time of day if it was today, else the day; empty for an invalid date. @example shortTime(new Date(ts), new
 * Date()) // '23 Jan'
 */
export function shortTime(time: Date, now: Date): string {
  if (Number.isNaN(time.getTime())) return '';
  return time.toDateString() === now.toDateString() ? clock(time) : shortDay(time, now);
}

/** The day, with its year where that is not this one. @example shortDay(new Date(ts), new Date()) // '23 Jan' */
export function shortDay(time: Date, now: Date): string {
  const day = DAY.format(time);
  return time.getFullYear() === now.getFullYear() ? day : `${day} ${time.getFullYear()}`;
}

/**
 * As `shortTime`, and the time of day on other days too. @example momentOf(new Date(ts), new Date()) // '23 Jan 15:58'
 */
export function momentOf(time: Date, now: Date): string {
  const short = shortTime(time, now);
  return short === '' || short === clock(time) ? short : `${short} ${clock(time)}`;
}

/** @example clock(new Date()) // '15:58' */
export function clock(time: Date): string {
  return Number.isNaN(time.getTime()) ? '' : CLOCK.format(time);
}

// Made once: each costs as much as writing a hundred times.
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/** The whole time with its zone, for a title. Empty for an invalid date. */
export function exactTime(time: Date): string {
  return Number.isNaN(time.getTime()) ? '' : EXACT.format(time);
}

/** @example plural(1, 'event') // '1 event' */
export function plural(value: number, word: string, words = `${word}s`): string {
  return `${count(value)} ${value === 1 ? word : words}`;
}
