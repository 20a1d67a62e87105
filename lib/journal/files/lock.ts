// The lock of one journal: held by the kernel on an empty file beside it, and released with its process. The file
// itself stays; the last opening in the journal says which process holds the lock.
import { systemErrorCode } from '../../errors/index.ts';
import type { FileHandle, FileSystem } from '../../platform/files/file-system.ts';
import { type Sleep, systemSleep } from '../../platform/waiting.ts';
import { OWN_TYPES } from '../format.ts';
import type { Holder, StoredEvent } from '../types.ts';

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
    // Without a lock file there is no holder; a lock that cannot be examined could not be taken either.
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  } finally {
    handle?.close();
  }
}

/** The process that opened the journal for writing last, if these events say so. */
export function holderIn(newestFirst: Iterable<StoredEvent>): Holder | undefined {
  for (const { type, data, ts } of newestFirst) {
    if (type !== OWN_TYPES.opened && type !== OWN_TYPES.created) continue;
    return {
      pid: typeof data.pid === 'number' ? data.pid : undefined,
      host: typeof data.host === 'string' ? data.host : undefined,
      command: typeof data.command === 'string' ? data.command : undefined,
      since: ts,
    };
  }
  return undefined;
}

/** The holder in words: `process 4711 (ollm repl, since 20:49)`. */
export function describeHolder(holder: Holder): string {
  if (holder.pid === undefined) return 'another process';
  const since = holder.since === undefined ? undefined : `since ${localTime(holder.since)}`;
  const details = [holder.command, since].filter((detail) => detail !== undefined).join(', ');
  return `process ${holder.pid}${details === '' ? '' : ` (${details})`}`;
}

function localTime(ts: string): string {
  const time = new Date(ts);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}
