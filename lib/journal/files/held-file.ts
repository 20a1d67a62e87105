// A file that is being written under a name of its own. Its writer holds a kernel lock on it, which tells it from the
// leftover of a crash: a killed process holds nothing.
import type { FileHandle, FileSystem } from '../../platform/files/file-system.ts';

/** Creates it. Undefined if another process took it for a leftover before it was locked: then it has no name. */
export function createHeld(fileSystem: FileSystem, path: string, mode?: number): FileHandle | undefined {
  const handle = fileSystem.open(path, 'create', mode);
  if (handle.tryLock() && handle.stat().links === 1) return handle;
  handle.close();
  return undefined;
}

/** Removes it unless a process is writing it. @throws the errors of the system: it is gone, or another user's */
export function removeLeftover(fileSystem: FileSystem, path: string): void {
  const handle = fileSystem.open(path, 'append');
  try {
    if (handle.tryLock()) fileSystem.unlink(path);
  } finally {
    handle.close();
  }
}
