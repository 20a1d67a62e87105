// Small helpers over the file-system port: reading and writing all of a file where the system may take or give less at
// a time, following links, removing a directory, and errors worded as the operating system words them.
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';
import { systemErrorCode } from '../../errors/index.ts';
import type { FileHandle, FileSystem } from './file-system.ts';

/** Writes all bytes, in as many calls as the system needs. A full disk shows as its error in the second call. */
export function writeAll(handle: Pick<FileHandle, 'write'>, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += handle.write(bytes.subarray(written));
}

/**
 * Reads from `position` until `bytes` is full or the file ends, in as many calls as the system needs. Returns the
 * number of bytes read.
 *
 * @throws the errors of the port: EIO, EISDIR, …
 */
export function readInto(handle: Pick<FileHandle, 'read'>, bytes: Uint8Array, position = 0): number {
  let length = 0;
  for (let came = -1; came !== 0 && length < bytes.length; length += came) {
    came = handle.read(bytes.subarray(length), position + length);
  }
  return length;
}

/**
 * Reads a regular file, all of it or the bytes `from` an offset on, at most `maxBytes`. Throws the errors of the port:
 * ENOENT, ELOOP, EISDIR, …
 */
export function readFile(
  fileSystem: Pick<FileSystem, 'open'>,
  path: string,
  { from = 0, maxBytes = Number.POSITIVE_INFINITY }: { readonly from?: number; readonly maxBytes?: number } = {},
): Uint8Array {
  using handle = fileSystem.open(path, 'read');
  const start = Math.max(0, from);
  const bytes = new Uint8Array(Math.max(0, Math.min(handle.stat().size - start, maxBytes)));
  return bytes.subarray(0, readInto(handle, bytes, start));
}

/** The names in a directory; none if it cannot be read. */
export function namesIn(fileSystem: Pick<FileSystem, 'readNames'>, path: string): string[] {
  try {
    return fileSystem.readNames(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return [];
  }
}

/** Removes a directory with everything in it. Follows no link, and does nothing if the directory is not there. */
export function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/**
 * The path with every link followed. Undefined if nothing is there, a link is broken or access is denied, or it is not
 * a valid path.
 */
export function realPathOf(fileSystem: Pick<FileSystem, 'realPath'>, path: string): string | undefined {
  try {
    return fileSystem.realPath(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined && !path.includes('\0')) throw error;
    return undefined;
  }
}

export type SystemErrorCode = keyof typeof constants.errno;

/**
 * An error with the `code`, `errno`, `syscall` and message that node:fs gives, for the file systems that simulate one.
 */
export function systemError(code: SystemErrorCode, syscall: string, path?: string): NodeJS.ErrnoException {
  const errno = -constants.errno[code];
  const place = path === undefined ? syscall : `${syscall} '${path}'`;
  const message = `${code}: ${getSystemErrorMessage(errno) ?? 'unknown error'}, ${place}`;
  return Object.assign(new Error(message), { errno, code, syscall, ...(path === undefined ? {} : { path }) });
}
