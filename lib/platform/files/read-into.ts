// Reading through the port, where the system may give less than was asked for.
import type { FileHandle } from './file-system.ts';

/**
 * Reads from `position` on until `bytes` is full or the file ends, however little comes at a time. Returns how many bytes came.
 *
 * @throws what the port throws: EIO, EISDIR, …
 */
export function readInto(handle: Pick<FileHandle, 'read'>, bytes: Uint8Array, position = 0): number {
  let length = 0;
  for (let came = -1; came !== 0 && length < bytes.length; length += came) {
    came = handle.read(bytes.subarray(length), position + length);
  }
  return length;
}
