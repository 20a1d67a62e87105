// Whether the file system under a path is mounted for reading alone. The permissions of a file say nothing about that,
// and to root the system allows whatever they forbid.
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
