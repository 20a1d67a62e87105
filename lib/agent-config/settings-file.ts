// A settings file of another program, read as text and replaced as a whole. The program may write it at any moment and
// takes no lock: the file is replaced only as it was read.
import { dirname, join } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { isInside } from '../platform/files/inside.ts';
import { readFile, realPathOf, writeAll } from '../platform/files/io.ts';

/** A file as it was read. */
export interface SettingsFile {
  /** As the program names it. */
  readonly path: string;
  /** Where it is, links followed. */
  readonly realPath: string;
  /** Empty without a file. */
  readonly text: string;
  /** Permission bits; undefined without a file. */
  readonly mode: number | undefined;
}

interface Rules {
  /** The home directory of the user: a link out of it is not followed. */
  readonly home: string;
  /** The user's id; undefined where the system has none. */
  readonly uid: number | undefined;
}

const MAX_BYTES = 16 * 2 ** 20;
const OWNER_WRITES = 0o200;
/** Private names begin so. */
const PRIVATE = '.ollm-config-';

/**
 * @throws OllmError CONFIG_INVALID: it is a directory, another user's, too large, has a second name, leads out of the
 * home directory, or is not text in UTF-8; IO_FAILED
 */
export function readSettingsFile(fileSystem: FileSystem, path: string, { home, uid }: Rules): SettingsFile {
  try {
    if (fileSystem.stat(path) === undefined) return { path, realPath: path, text: '', mode: undefined };
    const realPath = realPathOf(fileSystem, path);
    const stat = realPath === undefined ? undefined : fileSystem.stat(realPath);
    if (realPath === undefined || stat === undefined) throw refused(path, 'is a link that leads nowhere');
    const isLink = fileSystem.stat(path)?.kind === 'link';
    if (isLink && !isInside(realPathOf(fileSystem, home) ?? home, realPath)) {
      throw refused(path, `is a link to ${realPath}, which is outside of your home directory`);
    }
    if (stat.kind !== 'file') throw refused(path, 'is not a regular file');
    if (uid !== undefined && stat.uid !== uid) throw refused(path, 'belongs to another user');
    if (stat.links > 1) throw refused(path, 'has a second name');
    if (stat.size > MAX_BYTES) throw refused(path, 'is larger than 16 MiB');
    return { path, realPath, text: textOf(path, readFile(fileSystem, realPath)), mode: stat.mode & 0o777 };
  } catch (error) {
    throw worded(path, 'read', error);
  }
}

/**
 * Puts a new text in its place, with the permissions that the file had; a new file can be read by the user only.
 * `token` is a part of the private name.
 *
 * @throws OllmError CONFIG_INVALID: it is read-only, or was changed after it was read; IO_FAILED. It is then as it was.
 */
export async function replaceSettingsFile(
  fileSystem: FileSystem,
  file: SettingsFile,
  { text, token, ...rules }: Rules & { readonly text: string; readonly token: string },
): Promise<void> {
  const { path, realPath, mode = 0o600 } = file;
  // To replace it, only its directory must be writable.
  if ((mode & OWNER_WRITES) === 0) throw refused(path, 'is read-only');
  const temporary = join(dirname(realPath), `${PRIVATE}${token}`);
  try {
    fileSystem.makeDirectory(dirname(realPath));
    const handle = fileSystem.open(temporary, 'create', 0o600);
    try {
      writeAll(handle, Buffer.from(text));
      fileSystem.changeMode(temporary, mode);
      await handle.sync();
      const now = readSettingsFile(fileSystem, file.path, rules);
      if (now.text !== file.text || now.realPath !== realPath || (now.mode === undefined) !== (file.mode === undefined))
        throw new OllmError('CONFIG_INVALID', `${file.path} was changed by another program meanwhile.`, {
          hint: 'Nothing was changed by ollm. Run the command again.',
          data: { path: file.path, code: 'CHANGED_MEANWHILE' },
        });
      fileSystem.rename(temporary, realPath);
    } finally {
      handle.close();
      if (fileSystem.stat(temporary) !== undefined) fileSystem.unlink(temporary);
    }
    await fileSystem.syncDirectory(dirname(realPath));
  } catch (error) {
    throw worded(file.path, 'written', error);
  }
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(path, 'is not text in UTF-8');
  }
}

function refused(path: string, why: string): OllmError {
  return new OllmError('CONFIG_INVALID', `${path} ${why}: it was left as it is.`, { data: { path } });
}

function worded(path: string, what: 'read' | 'written', error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code === undefined) return error;
  return new OllmError('IO_FAILED', `${path} cannot be ${what} (${code}).`, {
    hint: 'Look at its permissions, and whether the disk has room.',
    data: { path },
    cause: error,
  });
}
