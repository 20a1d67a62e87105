// A directory for each run of a side. What a run leaves to be written to the disk later would be paid for by whoever waits for the
// disk next: so its files go when it ends, before most of them were written, and the device is waited for before the next side.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../lib/platform/index.ts';
import type { Timed } from './measure.ts';
import { removeDirectory } from './remove-directory.ts';

/** Hands `run` an empty directory inside this one, and removes it with all that is in it. */
export function inOwnDirectory(directory: string, run: (own: string) => Promise<number> | number): Timed {
  return async () => {
    const own = mkdtempSync(join(directory, 'run-'));
    try {
      return await run(own);
    } finally {
      removeDirectory(own);
      // What the file system wrote down for it, its removal included, goes to the device with this name's.
      await nodeFileSystem.syncDirectory(directory);
    }
  };
}
