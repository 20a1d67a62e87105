// Whether the file system of a path is mounted read-only. The permissions of a file say nothing about that, and root
// may do even things that they forbid.
import { accessSync, constants } from 'node:fs';
import { systemErrorCode } from '../../errors/index.ts';

/** False where there is nothing at the path, or the system does not say. */
export function isMountedReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return systemErrorCode(error) === 'EROFS';
  }
}
