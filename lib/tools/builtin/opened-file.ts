// Opens files at the place that was decided on, and nowhere else: no link in the last place is followed, nothing is
// waited for at a FIFO, and the opened file must be the one at that real path. So a link that is swapped in after the
// decision, at any part of the path, is noticed before any byte is read through it.
import { systemErrorCode } from '../../errors/index.ts';
import type { FileHandle, FileStat, FileSystem } from '../../platform/files/file-system.ts';
import { readInto } from '../../platform/files/io.ts';
import { ToolFailure } from '../tool.ts';

/** Ports for opening a file. */
export type Disk = Pick<FileSystem, 'open' | 'stat' | 'realPath'>;

/** A file by its real path, and by what a model is told of it. */
export interface OpenedFile {
  readonly path: string;
  readonly shown: string;
}

/**
 * Opens a regular file for reading. The caller closes it.
 *
 * @throws ToolFailure if it is not there, no file, or not the one that was decided on
 */
export function openToRead(disk: Disk, file: OpenedFile): FileHandle {
  let handle: FileHandle | undefined;
  try {
    handle = disk.open(file.path, 'read');
    if (!isAt(disk, file.path, handle.stat())) throw moved(file);
    return handle;
  } catch (error) {
    handle?.close();
    throw asFailure(error, file, 'read');
  }
}

/** Reads a whole file of at most `maxBytes`. @throws ToolFailure as `openToRead`, and if it is larger */
export function readWhole(disk: Disk, file: OpenedFile, maxBytes: number): { bytes: Uint8Array; stat: FileStat } {
  const handle = openToRead(disk, file);
  try {
    const stat = handle.stat();
    // Read until it ends, not until its size: files under /proc have none, and a file may grow meanwhile.
    const bytes = new Uint8Array(Math.min(stat.size, maxBytes) + 1);
    const length = readInto(handle, bytes);
    if (length > maxBytes || stat.size > maxBytes)
      throw new ToolFailure(`${file.shown} is too large for this: more than ${maxBytes / 1024 / 1024} MiB.`);
    return { bytes: bytes.subarray(0, length), stat };
  } catch (error) {
    throw asFailure(error, file, 'read');
  } finally {
    handle.close();
  }
}

/** Whether the path has exactly this file, and no link leads to it. */
export function isAt(disk: Pick<FileSystem, 'stat' | 'realPath'>, path: string, { device, inode }: FileStat): boolean {
  const there = disk.stat(path);
  return disk.realPath(path) === path && there?.device === device && there.inode === inode;
}

export function moved({ shown }: OpenedFile): ToolFailure {
  return new ToolFailure(`${shown} leads elsewhere than when this was decided on. Nothing was done.`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there. list_files shows what is',
  EISDIR: 'is a directory. list_files shows what is in it',
  ENOTDIR: 'leads through something that is a file, not a directory',
  ENXIO: 'is a device, a socket or a pipe, which is not read or written here',
  ENODEV: 'is a device, a socket or a pipe, which is not read or written here',
  ELOOP: 'is a link by now, which is not followed',
  EACCES: 'may not be touched: permission denied',
  EPERM: 'may not be touched: the system does not permit it',
  EROFS: 'lies on a disk that cannot be written',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the quota is used up',
};

/** An error of the system in words; anything else as it is. */
export function asFailure(error: unknown, { shown }: OpenedFile, verb: 'read' | 'write'): Error {
  const code = systemErrorCode(error);
  if (code === undefined) return error as Error;
  return new ToolFailure(
    `${shown} ${REASONS[code] ?? `could not be ${verb === 'read' ? 'read' : 'written'} (${code})`}.`,
    {
      cause: error,
    },
  );
}
