// The only way a file of another program is opened: for reading, never through a link in its last place, never waiting
// at a FIFO. It must be a regular file of a bounded size, of the user's own or in a named place. Nothing is written,
// and no lock is taken.
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { isInside } from '../platform/files/inside.ts';
import { readInto } from '../platform/files/io.ts';
import type { FileHandle, FileStat, FileSystem } from '../platform/index.ts';
import type { FilesAround } from './agent.ts';

export const MAX_SOURCE_BYTES = 4 * 2 ** 30;
/** The limit for one file of a session that is in several. */
export const MAX_PIECE_BYTES = 64 * 2 ** 20;

export interface SourceFiles {
  readonly fileSystem: Pick<FileSystem, 'open' | 'stat' | 'readDirectory'>;
  /** The user's id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Directories whose files may belong to other users. */
  readonly othersMayOwn?: readonly string[] | undefined;
}

/** Whether a file belongs to a user whose files are not read. */
export function isOfStranger({ uid, othersMayOwn = [] }: SourceFiles, path: string, owner: number): boolean {
  return uid !== undefined && owner !== uid && !othersMayOwn.some((directory) => isInside(directory, path));
}

/** The operations on an opened source. */
export interface SourceHandle extends Pick<FileHandle, 'read' | 'close'> {
  stat(): Pick<FileStat, 'size' | 'modifiedMs'>;
}

/** @throws OllmError SESSION_NOT_FOUND if it is gone, IO_FAILED if it must not or cannot be read */
export function openSource(files: SourceFiles, path: string, maxBytes: number = MAX_SOURCE_BYTES): FileHandle {
  let handle: FileHandle;
  try {
    handle = files.fileSystem.open(path, 'read');
  } catch (error) {
    throw openingError(path, error);
  }
  const { uid: owner, size } = handle.stat();
  const refusal = isOfStranger(files, path, owner)
    ? 'belongs to another user'
    : size > maxBytes
      ? `is larger than ${maxBytes} bytes`
      : undefined;
  if (refusal === undefined) return handle;
  handle.close();
  throw new OllmError('IO_FAILED', `${path} ${refusal}.`, { data: { path } });
}

/** The bytes of a small file; undefined if it is not there, must not be read, or is larger than that. */
export function readSmallSource(files: SourceFiles, path: string, maxBytes: number): Buffer | undefined {
  try {
    using handle = openSource(files, path, maxBytes);
    return readAll(handle);
  } catch {
    return undefined;
  }
}

interface ReadText {
  readonly fileSystem: SourceFiles['fileSystem'];
  readonly file: string;
  readonly text: string;
}

/** The text that was read last: a history has many sessions, and each is read several times. */
let lastRead: WeakRef<ReadText> | undefined;

function textOf(files: SourceFiles, path: string): string | undefined {
  try {
    using handle = openSource(files, path, MAX_PIECE_BYTES);
    const { device, inode, size, changedNs } = handle.stat();
    const file = [device, inode, size, changedNs].join(' ');
    const last = lastRead?.deref();
    if (last?.file === file && last.fileSystem === files.fileSystem && changedNs !== undefined) return last.text;
    const text = readAll(handle).toString();
    lastRead = new WeakRef({ fileSystem: files.fileSystem, file, text });
    return text;
  } catch {
    return undefined;
  }
}

/** Opens the files around a file, each of them safely. */
export function filesAround(files: SourceFiles): FilesAround {
  return {
    entries(path) {
      try {
        return files.fileSystem.readDirectory(path);
      } catch {
        return [];
      }
    },
    readSmall: (path) => textOf(files, path),
  };
}

/** All bytes of it, as far as they are there. */
export function readAll(handle: SourceHandle): Buffer {
  const bytes = Buffer.allocUnsafe(handle.stat().size);
  return bytes.subarray(0, readInto(handle, bytes));
}

function openingError(path: string, cause: unknown): OllmError {
  const code = systemErrorCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new OllmError('SESSION_NOT_FOUND', `${path} does not exist.`, { data: { path }, cause });
  }
  const reason = REASONS[code ?? ''] ?? (code === undefined ? 'cannot be read' : `cannot be read (${code})`);
  return new OllmError('IO_FAILED', `${path} ${reason}.`, { data: { path }, cause });
}

const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'is a link',
  EISDIR: 'is a directory',
  ENXIO: 'is not a regular file',
  EACCES: 'cannot be read: no permission',
  EPERM: 'cannot be read: no permission',
};
