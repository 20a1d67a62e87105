// The text of a small file that a person wrote: a prompt, a git ref. Undefined if it is not there or cannot be
// read.
import { systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { readFile } from '../../platform/files/io.ts';

/** Links are followed. Undefined also for a longer file. */
export function readTextFile(fileSystem: FileSystem, path: string, maxBytes: number): string | undefined {
  try {
    const bytes = readFile(fileSystem, fileSystem.realPath(path), { maxBytes: maxBytes + 1 });
    return bytes.length > maxBytes ? undefined : new TextDecoder().decode(bytes);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
