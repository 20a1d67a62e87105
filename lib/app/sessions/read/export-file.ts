// Writes an export into a file of the user's: whole under its name, or not there at all. Never over a session, or what
// opens one: an export is made from journals, and is none.
import { basename, dirname, join, resolve } from 'node:path';
import { OllmError, systemErrorCode } from '../../../errors/index.ts';
import type { FileSystem } from '../../../platform/files/file-system.ts';
import { isInside } from '../../../platform/files/inside.ts';
import { realPathOf, writeAll } from '../../../platform/files/io.ts';
import type { App } from '../../app.ts';
import type { SessionExport } from './export-session.ts';

/**
 * Answers with the absolute path. Replaces a file that is there, unless it must be `isNew`.
 * @throws OllmError IO_FAILED
 */
export async function writeExportFile(
  app: App,
  { chunks }: Pick<SessionExport, 'chunks'>,
  file: string,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<string> {
  const path = resolve(app.cwd, file);
  try {
    const target = targetOf(app.fileSystem, path);
    refuseOwnFiles(app, target);
    if (isNew && app.fileSystem.stat(path) !== undefined) throw isThere(path);
    await writeWhole(app, target, chunks, isNew);
    return path;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (isNew && code === 'EEXIST') throw isThere(path);
    const why = code === 'ENOENT' ? `there is no directory ${dirname(path)}` : code;
    throw new OllmError('IO_FAILED', `Cannot write ${path}: ${why}.`, { cause: error, hint: 'Name another file.' });
  } finally {
    await chunks.return();
  }
}

function isThere(path: string): OllmError {
  return new OllmError('IO_FAILED', `${path} is there already, and is not replaced.`, { hint: 'Name a new file.' });
}

/**
 * By its real directory, and through a link to the file itself. A pipe or device cannot be replaced by a file that is
 * renamed.
 */
function targetOf(fileSystem: FileSystem, path: string): string {
  const there = realPathOf(fileSystem, path) ?? path;
  const kind = fileSystem.stat(there)?.kind ?? 'file';
  if (kind !== 'file') {
    throw new OllmError('IO_FAILED', `${path} is ${kind === 'directory' ? 'a directory' : 'not a regular file'}.`, {
      hint: 'Name another file.',
    });
  }
  return there === path ? join(fileSystem.realPath(dirname(path)), basename(path)) : there;
}

function refuseOwnFiles({ fileSystem, paths, config, configuration }: App, target: string): void {
  const { keyFile } = config.retention;
  const files = [paths.history, paths.log, ...configuration.files, ...(keyFile === undefined ? [] : [keyFile])];
  const isOwn =
    isInside(realPathOf(fileSystem, paths.sessions) ?? paths.sessions, target) ||
    files.some((file) => (realPathOf(fileSystem, file) ?? file) === target);
  if (!isOwn) return;
  throw new OllmError('IO_FAILED', `${target} is a place of ollm's own files: no export is written there.`, {
    hint: 'Name a file somewhere else.',
  });
}

async function writeWhole(
  { fileSystem, ids }: App,
  target: string,
  chunks: AsyncIterable<Uint8Array>,
  isNew: boolean,
): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target)}.${ids.token()}`);
  const handle = fileSystem.open(temporary, 'create', fileSystem.stat(target)?.mode ?? 0o600);
  try {
    for await (const chunk of chunks) writeAll(handle, chunk);
    await handle.sync();
    handle.close();
    // A second name fails where a file has come in the meantime; a renamed one would take its place.
    if (isNew) fileSystem.link(temporary, target);
    else fileSystem.rename(temporary, target);
  } catch (error) {
    handle.close();
    fileSystem.unlink(temporary);
    throw error;
  }
  if (isNew) fileSystem.unlink(temporary);
}
