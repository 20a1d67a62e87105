// Where a path really leads, with every link on the way followed.
import { systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from './file-system.ts';

/** Undefined where nothing is there, a link leads nowhere, one may not look, or it can be no path at all. */
export function realPathOf(fileSystem: Pick<FileSystem, 'realPath'>, path: string): string | undefined {
  try {
    return fileSystem.realPath(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined && !path.includes('\0')) throw error;
    return undefined;
  }
}
