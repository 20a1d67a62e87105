// Replaces or creates a file atomically: a temporary file in the same directory, synced and renamed. If the file is not
// byte for byte the one that the user was shown, nothing is written.
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { FileStat, FileSystem } from '../../platform/files/file-system.ts';
import { isInside } from '../../platform/files/inside.ts';
import { writeAll } from '../../platform/files/io.ts';
import type { Ids } from '../../platform/ids.ts';
import { ToolFailure } from '../tool.ts';
import { asFailure, isAt, moved, type OpenedFile, readWhole } from './opened-file.ts';

/** A larger file is not shown as a difference, so it is not changed by these tools either. */
export const MAX_CHANGED_BYTES = 10 * 1024 * 1024;

/** Without the bits that lend the rights of the owner: they were given to the content that goes. */
export const PERMISSIONS = 0o777;

/** What a file was when a change of it was planned. */
export type Before =
  | { readonly kind: 'missing' }
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly stat: FileStat };

/** @throws ToolFailure if it is not a file that can be changed */
export function readBefore(fileSystem: FileSystem, file: OpenedFile): Before {
  const stat = fileSystem.stat(file.path);
  if (stat === undefined) return { kind: 'missing' };
  return { kind: 'file', ...readWhole(fileSystem, file, MAX_CHANGED_BYTES) };
}

interface Ports {
  readonly fileSystem: FileSystem;
  readonly ids: Pick<Ids, 'token'>;
}

/**
 * Writes `content` where `before` was read. Keeps the permissions; a new file gets `mode`, or those that the user's
 * mask leaves.
 *
 * @throws ToolFailure if the file is another one by now, or cannot be written
 */
export async function replaceFile(
  { fileSystem, ids }: Ports,
  file: OpenedFile,
  before: Before,
  content: Uint8Array,
  mode?: number,
): Promise<void> {
  const directory = dirname(file.path);
  const temporary = join(directory, `.ollm-${ids.token()}.tmp`);
  try {
    makeDirectory(fileSystem, directory, file);
    await writeTemporary(
      fileSystem,
      temporary,
      content,
      mode ?? (before.kind === 'file' ? before.stat.mode & PERMISSIONS : undefined),
      file,
    );
    checkUnchanged(fileSystem, file, before);
    if (before.kind === 'file') fileSystem.rename(temporary, file.path);
    else claim(fileSystem, temporary, file);
    await fileSystem.syncDirectory(directory);
  } catch (error) {
    throw asFailure(error, file, 'write');
  } finally {
    removeIfThere(fileSystem, temporary);
  }
}

/**
 * Removes the file that `before` was read of, and the directories above it that are empty then, up to `madeDirectory`.
 *
 * @throws ToolFailure if the file is another one by now, or cannot be removed
 */
export async function removeFile(
  { fileSystem }: Pick<Ports, 'fileSystem'>,
  file: OpenedFile,
  before: Before,
  madeDirectory: string | undefined,
): Promise<void> {
  try {
    checkUnchanged(fileSystem, file, before);
    fileSystem.unlink(file.path);
    let directory = dirname(file.path);
    while (madeDirectory !== undefined && isInside(madeDirectory, directory) && isEmpty(fileSystem, directory)) {
      fileSystem.removeDirectory(directory);
      directory = dirname(directory);
    }
    await fileSystem.syncDirectory(directory);
  } catch (error) {
    throw asFailure(error, file, 'write');
  }
}

function isEmpty(fileSystem: FileSystem, directory: string): boolean {
  return fileSystem.readDirectory(directory).length === 0;
}

/** The topmost directory above a file that is not there; undefined if all are. */
export function missingDirectory(fileSystem: FileSystem, path: string): string | undefined {
  let missing: string | undefined;
  for (let each = dirname(path); fileSystem.stat(each) === undefined; each = dirname(each)) missing = each;
  return missing;
}

/** Creates missing parents too, but never through a link that appeared after the decision. */
function makeDirectory(fileSystem: FileSystem, directory: string, file: OpenedFile): void {
  let existing = directory;
  while (fileSystem.stat(existing) === undefined && dirname(existing) !== existing) existing = dirname(existing);
  if (fileSystem.realPath(existing) !== existing) throw moved(file);
  fileSystem.makeDirectory(directory, 0o777);
  if (fileSystem.realPath(directory) !== directory) throw moved(file);
}

async function writeTemporary(
  fileSystem: FileSystem,
  path: string,
  content: Uint8Array,
  mode: number | undefined,
  file: OpenedFile,
): Promise<void> {
  // No other user reads it before it has the permissions of the file that it replaces.
  using handle = fileSystem.open(path, 'create', mode === undefined ? 0o666 : 0o600);
  if (!isAt(fileSystem, path, handle.stat())) throw moved(file);
  writeAll(handle, content);
  await handle.sync();
  if (mode !== undefined) fileSystem.changeMode(path, mode);
}

function checkUnchanged(fileSystem: FileSystem, file: OpenedFile, before: Before): void {
  if (before.kind === 'missing') return;
  const now = readBefore(fileSystem, file);
  if (now.kind === 'file' && Buffer.compare(now.bytes, before.bytes) === 0) return;
  throw new ToolFailure(
    `${file.shown} was changed after this was planned. Nothing was written. Read it again, then repeat the change.`,
  );
}

/** A second name is only given where there is none yet, so a file that appeared meanwhile stays as it is. */
function claim(fileSystem: FileSystem, temporary: string, file: OpenedFile): void {
  try {
    fileSystem.link(temporary, file.path);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST')
      throw new ToolFailure(`${file.shown} was made by another program meanwhile. Nothing was written. Read it first.`);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemErrorCode(error) ?? '')) throw error;
    // A disk without hard links.
    if (fileSystem.stat(file.path) !== undefined) throw moved(file);
    fileSystem.rename(temporary, file.path);
  }
}

function removeIfThere(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
