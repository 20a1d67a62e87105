// What a run made, removed. A process that is just ending may still put a file there: that is waited for.
import { rmSync } from 'node:fs';

const TRIES = 20;
const BETWEEN_TRIES_MS = 50;

/** With all that is in it, if it is there. */
export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: TRIES, retryDelay: BETWEEN_TRIES_MS });
}
