// Values as a machine draws them: each character by itself, so that a few have no digit, and a few look like words. The
// numbers come from one seed: that of FC_SEED where it is set, so that a failure can be had again.
import { randomInt } from 'node:crypto';
import type { RUNS } from '../../lib/environment/text-runs.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';

/** By the names of the runs of characters in lib/environment/text-runs.ts. */
export const ALPHABETS = {
  alphanumeric: UPPER + LOWER + DIGITS,
  base64: `${UPPER}${LOWER}${DIGITS}+/`,
  base64Lines: `${UPPER}${LOWER}${DIGITS}+/`,
  dashed: `${UPPER}${LOWER}${DIGITS}-_`,
  dotted: UPPER + LOWER + DIGITS,
  hex: `${DIGITS}abcdef`,
  path: UPPER + LOWER + DIGITS,
  upper: `${UPPER}234567`,
  word: UPPER + LOWER + DIGITS,
} as const satisfies Record<keyof typeof RUNS, string>;

export const SEED = Number(process.env.FC_SEED ?? randomInt(2 ** 31));

/** Draws characters of an alphabet; the same ones for the same seed. */
export function createDraw(seed = SEED): (length: number, alphabet?: keyof typeof RUNS) => string {
  let state = seed >>> 0;
  // Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return (length, alphabet = 'alphanumeric') => {
    const characters = ALPHABETS[alphabet];
    let drawn = '';
    while (drawn.length < length) drawn += characters[Math.floor(next() * characters.length)]!;
    return drawn;
  };
}
