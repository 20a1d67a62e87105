// Reads a whole regular file through the port. For files of a size that fits into memory; journals have a reader.
import type { FileSystem } from './file-system.ts';
import { readInto } from './read-into.ts';

/** What the file holds. Throws what the port throws: ENOENT, ELOOP, EISDIR, … */
export function readFile(fileSystem: Pick<FileSystem, 'open'>, path: string): Uint8Array {
  const handle = fileSystem.open(path, 'read');
  try {
    const bytes = new Uint8Array(handle.stat().size);
    return bytes.subarray(0, readInto(handle, bytes));
  } finally {
    handle.close();
  }
}
