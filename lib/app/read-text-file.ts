// The text of a small file that a person wrote: a prompt, a git ref. Undefined if there is none, or nothing that can be
// read.
import { systemErrorCode } from '../errors/index.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { readInto } from '../platform/files/io.ts';

export function readTextFile(fileSystem: FileSystem, path: string, maxBytes: number): string | undefined {
  const bytes = readWholeFile(fileSystem, path, maxBytes);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Links are followed. A longer file is none that was meant. */
export function readWholeFile(fileSystem: FileSystem, path: string, maxBytes: number): Uint8Array | undefined {
  try {
    const handle = fileSystem.open(fileSystem.realPath(path), 'read');
    try {
      const { size } = handle.stat();
      if (size > maxBytes) return undefined;
      const bytes = new Uint8Array(size);
      return bytes.subarray(0, readInto(handle, bytes));
    } finally {
      handle.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
