// The lock of one journal: held by the kernel on an empty file next to it, and released with its process. The file
// itself stays; the last opening in the journal says which process holds the lock (reading/holder.ts).
import { systemErrorCode } from '../../errors/index.ts';
import type { FileHandle, FileSystem } from '../../platform/files/file-system.ts';
import { type Sleep, systemSleep } from '../../platform/waiting.ts';

/** A reader that asks `isLocked` holds a shared lock for a moment: a writer tries again. */
const ATTEMPTS = 10;
const PAUSE_MS = 5;

/** Takes the lock; undefined if another holds it. Closing the handle gives it up. */
export async function acquireLock(
  fileSystem: FileSystem,
  lockPath: string,
  sleep: Sleep = systemSleep,
): Promise<FileHandle | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const handle = fileSystem.open(lockPath, 'lock', 0o600);
    try {
      if (handle.tryLock('exclusive') && isStillThere(fileSystem, handle)) return handle;
    } catch (error) {
      handle.close();
      throw error;
    }
    handle.close();
    if (attempt === ATTEMPTS) return undefined;
    await sleep(PAUSE_MS);
  }
}

/** Whether the locked file is still the one at the path: it may have been removed meanwhile. */
function isStillThere(fileSystem: FileSystem, handle: FileHandle): boolean {
  const locked = handle.stat();
  const named = fileSystem.stat(handle.path);
  return named !== undefined && named.device === locked.device && named.inode === locked.inode;
}

/** Whether another handle holds the lock. Makes no file, waits for nothing. */
export function isLocked(fileSystem: FileSystem, lockPath: string): boolean {
  let handle: FileHandle | undefined;
  try {
    handle = fileSystem.open(lockPath, 'read');
    return !handle.tryLock('shared');
  } catch (error) {
    // No lock file means no holder; a lock that cannot be examined could not be taken either.
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  } finally {
    handle?.close();
  }
}
