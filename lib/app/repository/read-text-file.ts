// The text of a small file that a person wrote: a prompt, a git ref. Undefined if it is not there or cannot be
// read.
import { isSystemError, unless } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';

/** Links are followed. Undefined also for a longer file. */
export function readTextFile(fileSystem: FileSystem, path: string, maxBytes: number): string | undefined {
  const limit = { maxBytes: maxBytes + 1 };
  const real = realPathOf(fileSystem, path);
  const bytes = real === undefined ? undefined : unless(isSystemError, () => readFile(fileSystem, real, limit));
  return bytes === undefined || bytes.length > maxBytes ? undefined : new TextDecoder().decode(bytes);
}
