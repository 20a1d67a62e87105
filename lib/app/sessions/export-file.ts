// Writes an export into a file of the user's: whole under its name, or not there at all.
import { basename, dirname, join, resolve } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/file-system.ts';
import { writeAll } from '../../platform/write-all.ts';
import type { App } from '../app.ts';
import type { SessionExport } from './export-session.ts';

/** Answers with the absolute path. Replaces a file that is there. @throws OllmError IO_FAILED */
export async function writeExportFile(app: App, { chunks }: SessionExport, file: string): Promise<string> {
  const path = resolve(app.cwd, file);
  try {
    await replaceFile(app, targetOf(app.fileSystem, path), chunks);
    return path;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const why = code === 'ENOENT' ? `there is no directory ${dirname(path)}` : code;
    throw new OllmError('IO_FAILED', `Cannot write ${path}: ${why}.`, { cause: error, hint: 'Name another file.' });
  } finally {
    chunks.return();
  }
}

/** Through a link to the file itself. A pipe or device is no place for a file that is renamed into it. */
function targetOf(fileSystem: FileSystem, path: string): string {
  const target = fileSystem.stat(path)?.kind === 'link' ? fileSystem.realPath(path) : path;
  const kind = fileSystem.stat(target)?.kind ?? 'file';
  if (kind === 'file') return target;
  throw new OllmError('IO_FAILED', `${path} is ${kind === 'directory' ? 'a directory' : 'no regular file'}.`, {
    hint: 'Name another file.',
  });
}

async function replaceFile({ fileSystem, ids }: App, target: string, chunks: Iterable<Uint8Array>): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target)}.${ids.token()}`);
  const handle = fileSystem.open(temporary, 'create', fileSystem.stat(target)?.mode ?? 0o600);
  try {
    for (const chunk of chunks) writeAll(handle, chunk);
    await handle.sync();
    handle.close();
    fileSystem.rename(temporary, target);
  } catch (error) {
    handle.close();
    fileSystem.unlink(temporary);
    throw error;
  }
}
