// The file of a journal: which files may be opened as one, and the meaning of system errors. Links, devices and files
// with a second name are never opened.
import { dirname } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import type { FileHandle, FileStat, FileSystem, OpenMode } from '../../platform/files/file-system.ts';
import { type JournalFile, notFound } from '../refusals.ts';
import type { JournalFileInfo } from '../types.ts';

/** Opens a file that is there, and checks that the opened file is the one at the path. */
export function openJournalFile(
  fileSystem: FileSystem,
  file: JournalFile,
  mode: Extract<OpenMode, 'read' | 'append'>,
  uid?: number | undefined,
): FileHandle {
  try {
    const named = fileSystem.stat(file.path);
    if (!named) throw notFound(file);
    rejectNonJournal(file, named, uid);
    const handle = fileSystem.open(file.path, mode);
    try {
      rejectNonJournal(file, handle.stat(), uid);
    } catch (error) {
      handle.close();
      throw error;
    }
    return handle;
  } catch (error) {
    throw openingError(file, error, mode);
  }
}

function rejectNonJournal(file: JournalFile, stat: FileStat, uid: number | undefined): void {
  const what = describeOther(stat, uid);
  if (what === undefined) return;
  throw new OllmError('JOURNAL_NOT_A_FILE', `The path of journal ${file.id} is ${what}: ${file.path}`, {
    hint: 'ollm opens only regular files of its user with one name. Move it away, or copy the journal into its place.',
    data: { id: file.id, path: file.path },
  });
}

function describeOther(stat: FileStat, uid: number | undefined): string | undefined {
  switch (stat.kind) {
    case 'directory':
      return 'a directory';
    case 'link':
      return 'a symbolic link';
    case 'other':
      return 'a device, a pipe or a socket';
    case 'file':
      if (stat.links > 1) return `a file with ${stat.links} names (hard links)`;
      return uid !== undefined && stat.uid !== uid ? `a file of another user (uid ${stat.uid})` : undefined;
  }
}

export function notAFile({ id, path }: JournalFile, cause?: unknown): OllmError {
  return new OllmError('JOURNAL_NOT_A_FILE', `The path of journal ${id} is not a regular file: ${path}`, {
    hint: 'Move away what is there.',
    data: { id, path, code: systemErrorCode(cause) },
    cause,
  });
}

/** An open journal whose system errors come as OllmErrors. */
export function withOwnErrors(file: JournalFile, handle: FileHandle): Pick<FileHandle, 'read' | 'stat'> {
  const asked = <Answer>(question: () => Answer): Answer => {
    try {
      return question();
    } catch (error) {
      throw openingError(file, error, 'read');
    }
  };
  return {
    read: (target, position) => asked(() => handle.read(target, position)),
    stat: () => asked(() => handle.stat()),
  };
}

/** What an error of the system means at opening a journal or its lock. Our own errors pass through. */
export function openingError(file: JournalFile, error: unknown, mode: OpenMode): unknown {
  const code = systemErrorCode(error);
  const options = { data: { id: file.id, path: file.path, code }, cause: error };
  switch (code) {
    case undefined:
      return error;
    case 'ENOENT':
      return notFound(file);
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
    case 'ENOTDIR':
      return notAFile(file, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      if (mode === 'create') {
        return new OllmError(
          'JOURNAL_READ_ONLY',
          `Session ${file.id} cannot be created: ${dirname(file.path)} cannot be written (${code}).`,
          {
            ...options,
            hint: 'Give yourself write permission there, or set services.session.dataDir to another place.',
          },
        );
      }
      if (mode !== 'read') {
        return new OllmError('JOURNAL_READ_ONLY', `Journal ${file.id} cannot be written (${code}): ${file.path}`, {
          ...options,
          hint: `It can still be read: "ollm tail ${file.id}". To go on, give yourself write permission or fork it elsewhere.`,
        });
      }
      break;
    case 'ENOSPC':
    case 'EDQUOT':
      return new OllmError('JOURNAL_FULL', `There is no room for journal ${file.id} (${code}): ${file.path}`, {
        ...options,
        hint: 'Free some space and try again.',
      });
  }
  return new OllmError('JOURNAL_UNREADABLE', `Journal ${file.id} cannot be opened (${code}): ${file.path}`, {
    ...options,
    hint: 'Check the permissions of the file and its directories, and the disk.',
  });
}

/**
 * Which file it is, and when it last changed: a different text after any change, except one within the same tick of the
 * file system's clock. Undefined where the system does not say.
 */
export function stampOf({ inode, changedNs }: Pick<JournalFileInfo, 'inode' | 'changedNs'>): string | undefined {
  return inode === undefined || changedNs === undefined ? undefined : `${inode} ${changedNs}`;
}

/** What a list needs of a journal's file, without opening it. */
export function journalFileInfo(
  id: string,
  { size, modifiedMs, kind, links, inode, changedNs }: FileStat,
): JournalFileInfo {
  return { id, isOrdinary: kind === 'file' && links === 1, bytes: size, modifiedMs, inode, changedNs };
}
