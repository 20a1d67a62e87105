// Sessions of other programs that the user does not want to see. Nothing is changed where those programs keep them: the
// list of their addresses is in a file of ours, which can be edited.
import { join } from 'node:path';
import { OllmError, systemErrorCode } from '../../../errors/index.ts';
import { FileChange } from '../../../platform/files/file-change.ts';
import { readFile } from '../../../platform/files/io.ts';
import type { App } from '../../app.ts';

type Place = Pick<App, 'fileSystem' | 'ids' | 'paths'>;

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Their addresses. */
export function hiddenSessions({ fileSystem, paths }: Pick<App, 'fileSystem' | 'paths'>): ReadonlySet<string> {
  try {
    const text = new TextDecoder().decode(readFile(fileSystem, pathIn(paths), { maxBytes: MAX_FILE_BYTES }));
    return new Set(text.split('\n').filter((line) => line !== ''));
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return new Set();
  }
}

/**
 * Hides a session, or shows it again. Returns whether that changed something.
 * @throws OllmError IO_FAILED
 */
export function hideSession(app: Place, address: string, isHidden: boolean): boolean {
  const path = pathIn(app.paths);
  let change: FileChange | undefined;
  try {
    change = FileChange.begin({ path, fileSystem: app.fileSystem, ids: app.ids });
    const hidden = new Set(hiddenSessions(app));
    if (hidden.has(address) === isHidden) return false;
    if (isHidden) hidden.add(address);
    else hidden.delete(address);
    change.write([...hidden].map((each) => `${each}\n`).join(''));
    change.commit();
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause;
    throw new OllmError('IO_FAILED', `${path} cannot be written: ${(cause as Error).message}`, { cause });
  } finally {
    change?.end();
  }
}

function pathIn({ home }: App['paths']): string {
  return join(home, 'hidden-sessions');
}
