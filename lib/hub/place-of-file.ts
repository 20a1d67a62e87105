// A single file among the places that sessions come from. It may hold several sessions, as the database of a program
// does.
import { basename } from 'node:path';
import type { FileSystem } from '../platform/files/file-system.ts';
import { realPathOf } from '../platform/files/io.ts';
import type { SessionPlace } from './sources.ts';

/**
 * The place of the file, with only its sessions; undefined if it is not a source of any place.
 * @param path - absolute; another name of the same file does too
 */
export async function placeOfFile(
  path: string,
  places: readonly SessionPlace[],
  fileSystem: Pick<FileSystem, 'realPath'>,
): Promise<SessionPlace | undefined> {
  const real = realPathOf(fileSystem, path);
  const isSame = (other: string) =>
    other === path || (basename(other) === basename(real ?? path) && realPathOf(fileSystem, other) === real);
  for (const place of places) {
    const { sources } = await place.list();
    const those = sources.filter((source) => isSame(source.path));
    if (those.length > 0)
      return { ...place, isPart: true, list: async () => ({ sources: those, skipped: [], unlisted: [] }) };
  }
  return undefined;
}
