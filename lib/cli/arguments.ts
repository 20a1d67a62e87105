// The values of flags: texts, whole numbers, ages, places in a journal. A value that is none of
// these is wrong usage, reported with an example.
import { resolve, win32 } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { ageIn, sinceIn } from '../platform/age.ts';

/** Any text but a flag: in `-o --redact` the file is missing, and secrets would be written as they are. */
export function parseText(value: string): string {
  if (!value.startsWith('--')) return value;
  throw new InvalidArgumentError(`Its own value is missing before that; a file of such a name is ./${value}`);
}

/** Texts of an option that is given once for each; one with several words would take the operands too. */
export function parseEach(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, parseText(value)];
}

/** Absolute, also one of Windows on each system: a further home may have sessions of such a machine. */
export function parseDirectory(value: string): string {
  const directory = parseText(value);
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(directory) ? win32.resolve(directory) : resolve(directory);
}

/** A whole number from 0. */
export function parseCount(value: string): number {
  const count = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(count)) {
    throw new InvalidArgumentError('It takes a whole number, such as 20');
  }
  return count;
}

/** US dollars, from a cent on. */
export function parseDollars(value: string): number {
  const dollars = Number(value);
  if (!/^\d+(\.\d{1,2})?$/.test(value) || dollars === 0) {
    throw new InvalidArgumentError('It takes US dollars, such as 2 or 0.50');
  }
  return dollars;
}

/** The first and the last event: `12-40`. */
export function parseRange(value: string): { readonly from: number; readonly to: number } {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(value) ?? [];
  if (from === undefined || Number(from) > Number(to)) {
    throw new InvalidArgumentError('It takes the first and the last event, such as 12-40');
  }
  return { from: Number(from), to: Number(to) };
}

/** A number of lines, or `all`. */
export function parseLines(value: string): number {
  return value === 'all' ? Number.POSITIVE_INFINITY : parseCount(value);
}

/** `30d` in milliseconds. */
export function parseAge(value: string): number {
  const ageMs = ageIn(value);
  if (ageMs === undefined) throw new InvalidArgumentError('It takes an age, such as 30d, 12h or 90m');
  return ageMs;
}

/** An age or a day, as the time that it is for a clock: milliseconds since 1970. */
export type Since = (nowMs: number) => number;

export function parseSince(value: string): Since {
  if (sinceIn(value, 0) === undefined) {
    throw new InvalidArgumentError('It takes an age or a day, such as 2w, 12h or 2026-11-21');
  }
  return (nowMs) => sinceIn(value, nowMs)!;
}

/** A seq, or a point in time as RFC 3339 or a date. */
export function parsePlace(value: string): number | string {
  if (/^\d+$/.test(value)) return parseCount(value);
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('It takes the number of an event, or a time such as 2026-11-21T20:49:00Z');
  }
  return new Date(time).toISOString();
}
