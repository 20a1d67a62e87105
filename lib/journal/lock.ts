// The lock of one journal: held by the kernel on an empty file beside it, gone with its process.
import type { FileHandle, FileSystem } from '../platform/file-system.ts';
import type { Holder, JournalReader } from './types.ts';

/** Takes the lock; undefined if another holds it. Closing the handle gives it up. */
export async function acquireLock(_fileSystem: FileSystem, lockPath: string): Promise<FileHandle | undefined> {
  throw new Error(`not written yet: ${lockPath}`);
}

/** Whether another handle holds the lock. Makes no file, waits for nothing. */
export function isLocked(_fileSystem: FileSystem, lockPath: string): boolean {
  throw new Error(`not written yet: ${lockPath}`);
}

/** Who opened the journal for writing last, as it says itself. */
export function readHolder(reader: JournalReader): Holder {
  throw new Error(`not written yet: ${reader.path}`);
}
