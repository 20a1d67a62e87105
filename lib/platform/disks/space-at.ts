// The disk of a path, or of a path that does not exist yet.
import { dirname } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { DiskSpace, FileSystem } from '../files/file-system.ts';

/** The space at the path, or at the nearest existing directory above it. Undefined if the system does not tell. */
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
