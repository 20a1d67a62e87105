// The file that a journal is: what may stand at its path, and how the system's refusals are told. A journal is opened
// as what it is or not at all: never through a link, never a device, never one that has another name elsewhere.
import { dirname } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import type { FileHandle, FileStat, FileSystem, OpenMode } from '../../platform/files/file-system.ts';

export interface JournalFile {
  readonly id: string;
  readonly path: string;
}

/** Opens what is there already, and makes sure that it is what stands at the path. */
export function openJournalFile(
  fileSystem: FileSystem,
  file: JournalFile,
  mode: Extract<OpenMode, 'read' | 'append'>,
  uid?: number | undefined,
): FileHandle {
  try {
    const named = fileSystem.stat(file.path);
    if (!named) throw notFound(file);
    refuseWhatIsNoJournal(file, named, uid);
    const handle = fileSystem.open(file.path, mode);
    try {
      refuseWhatIsNoJournal(file, handle.stat(), uid);
    } catch (error) {
      handle.close();
      throw error;
    }
    return handle;
  } catch (error) {
    throw openingError(file, error, mode);
  }
}

function refuseWhatIsNoJournal(file: JournalFile, stat: FileStat, uid: number | undefined): void {
  const what = whatItIs(stat, uid);
  if (what === undefined) return;
  throw new OllmError('JOURNAL_NOT_A_FILE', `In place of journal ${file.id} stands ${what}: ${file.path}`, {
    hint: 'ollm opens only regular files of its user with one name. Move it away, or copy the journal into its place.',
    data: { id: file.id, path: file.path },
  });
}

function whatItIs(stat: FileStat, uid: number | undefined): string | undefined {
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

export function notFound(file: JournalFile): OllmError {
  return new OllmError('SESSION_NOT_FOUND', `There is no session ${file.id}.`, {
    hint: 'See "ollm list" for those that there are.',
    data: { id: file.id, path: file.path },
  });
}

/** An open journal, with the system's refusals told as ours. */
export function toldAsOurs(file: JournalFile, handle: FileHandle): Pick<FileHandle, 'read' | 'stat'> {
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

/** What it means when the system refuses to open a journal or its lock. Our own errors pass through. */
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
      return new OllmError(
        'JOURNAL_NOT_A_FILE',
        `In place of journal ${file.id} stands no regular file: ${file.path}`,
        {
          ...options,
          hint: 'Move away what is there.',
        },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      if (mode === 'create') {
        return new OllmError(
          'JOURNAL_READ_ONLY',
          `Session ${file.id} cannot be made: nothing can be written in ${dirname(file.path)} (${code}).`,
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
