// The disk that a path lies on, or would lie on once it is made.
import { dirname } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { DiskSpace, FileSystem } from '../files/file-system.ts';

/** Of the path, or of the nearest directory above it that is there. Undefined where the system does not say. */
export function spaceAt(fileSystem: Pick<FileSystem, 'space'>, path: string): DiskSpace | undefined {
  for (let place = path; ; place = dirname(place)) {
    try {
      return fileSystem.space(place);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      if (systemErrorCode(error) !== 'ENOENT' || dirname(place) === place) return undefined;
    }
  }
}
