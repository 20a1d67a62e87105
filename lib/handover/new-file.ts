// A new file in the directory of another program. It is written and checked under a private name, and gets its own only
// then, if no file has it.
import { dirname, join, relative, sep } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { createHeld, removeLeftover } from '../journal/files/held-file.ts';
import type { FileHandle, FileSystem } from '../platform/files/file-system.ts';
import { namesIn, writeAll } from '../platform/files/io.ts';

interface NewFile {
  /** The directory that the program keeps sessions in. Its own directory, above that, must be there. */
  readonly place: string;
  /** Below `place`. */
  readonly path: string;
  readonly content: string;
  /** Part of the private name. */
  readonly token: string;
  /** The user's id; undefined where the system has none. */
  readonly uid: number | undefined;
  /** Called with the private path. An error of it ends all, and nothing is left. */
  check(temporary: string): Promise<void>;
}

/** Private names begin so. */
const PRIVATE = '.ollm-handover-';

/**
 * Returns whether the file is new: false if another one got the name first, which stays as it is.
 *
 * @throws OllmError IO_FAILED; the errors of `check`
 */
export async function placeNewFile(fileSystem: FileSystem, file: NewFile): Promise<boolean> {
  const { place, path, content, token, check } = file;
  const directory = dirname(path);
  const made = prepareDirectories(fileSystem, file);
  const temporary = join(directory, `${PRIVATE}${token}`);
  try {
    const handle = openPrivate(fileSystem, temporary);
    try {
      writeAll(handle, Buffer.from(content));
      await handle.sync();
      await check(temporary);
      if (!hasGotName(fileSystem, temporary, path)) return false;
    } finally {
      fileSystem.unlink(temporary);
      handle.close();
    }
    for (const each of [...new Set([directory, ...made.map(dirname)])]) await fileSystem.syncDirectory(each);
    return true;
  } catch (error) {
    for (const each of made.toReversed()) removeIfEmpty(fileSystem, each);
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new OllmError('IO_FAILED', `Cannot write ${path}: ${code}.`, {
      cause: error,
      hint: 'Look whether there is room, and whether you may write below it.',
      data: { path, place },
    });
  }
}

function openPrivate(fileSystem: FileSystem, path: string): FileHandle {
  for (;;) {
    const handle = createHeld(fileSystem, path, 0o600);
    if (handle !== undefined) return handle;
  }
}

/** Removes private files of processes that were killed, and none that another one is writing. Never throws. */
export function removeLeftovers(fileSystem: FileSystem, directory: string): void {
  for (const name of namesIn(fileSystem, directory)) {
    if (!name.startsWith(PRIVATE)) continue;
    const path = join(directory, name);
    try {
      removeLeftover(fileSystem, path);
    } catch (error) {
      // A process was faster, or the file belongs to another user.
      if (systemErrorCode(error) === undefined) throw error;
    }
  }
}

function hasGotName(fileSystem: FileSystem, temporary: string, path: string): boolean {
  try {
    fileSystem.link(temporary, path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The directories that were made, outermost first. None of those that are there may be a link, or another user's. */
function prepareDirectories(fileSystem: FileSystem, { place, path, uid }: NewFile): string[] {
  const made: string[] = [];
  requireOwn(fileSystem, dirname(place), uid);
  const names = relative(dirname(place), dirname(path)).split(sep);
  let directory = dirname(place);
  for (const name of names) {
    directory = join(directory, name);
    if (fileSystem.stat(directory) === undefined) {
      fileSystem.makeDirectory(directory, 0o700);
      made.push(directory);
    }
    requireOwn(fileSystem, directory, uid);
  }
  return made;
}

function requireOwn(fileSystem: FileSystem, directory: string, uid: number | undefined): void {
  const stat = fileSystem.stat(directory);
  const problem =
    stat === undefined
      ? 'is not there'
      : stat.kind !== 'directory'
        ? 'is not a directory'
        : uid !== undefined && stat.uid !== uid
          ? 'belongs to another user'
          : undefined;
  if (problem === undefined) return;
  throw new OllmError('IO_FAILED', `${directory} ${problem}: nothing was written.`, {
    hint: 'Start the program once, so that it makes its directories. A link among them is not followed.',
    data: { path: directory },
  });
}

function removeIfEmpty(fileSystem: FileSystem, directory: string): void {
  try {
    fileSystem.removeDirectory(directory);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
