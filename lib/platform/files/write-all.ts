// Writing through the port, where the system may take less than was given.
import type { FileHandle } from './file-system.ts';

/** Writes all of it, however little is taken at a time. A full disk shows as its error at the second attempt. */
export function writeAll(handle: Pick<FileHandle, 'write'>, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += handle.write(bytes.subarray(written));
}
