// Answers a question in a terminal with one key, which counts only after the question was there for a moment.
import { setTimeout } from 'node:timers/promises';
import type { Terminal } from './terminal.ts';

/** Longer than the time in which no key can be meant. */
export const READ_MS = 350;
/** After this the key is pressed again. */
const PATIENCE_MS = 4_000;

/** Pressed again where the program was too busy to see that the question had been there for long enough. */
export async function pressKey(terminal: Terminal, key: string, isTaken: () => boolean): Promise<void> {
  for (let presses = 0; presses < 3 && !isTaken(); presses += 1) {
    await setTimeout(READ_MS);
    terminal.type(key);
    for (let waitedMs = 0; waitedMs < PATIENCE_MS && !isTaken(); waitedMs += 20) await setTimeout(20);
  }
  if (!isTaken()) throw new Error(`${JSON.stringify(key)} was not taken:\n${terminal.lines().join('\n')}`);
}

/** How many lines show this up to now: one more when a question has been answered. */
export function linesWith(terminal: Terminal, sign: string): number {
  return terminal.lines().filter((line) => line.includes(sign)).length;
}
