// Whether a sync would change nothing. Only reads, which takes less time than to open the catalogue for writing.
import { join } from 'node:path';
import type { Catalog } from '../catalog/catalog.ts';
import { isIndexed, knownSessions } from '../catalog/index-session.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { SessionPlace } from './sources.ts';

/** The file that a process has locked while it syncs, in `$OLLM_HOME`. */
export const SYNC_LOCK = 'sync.lock';

interface UpToDateOptions {
  readonly catalog: Catalog;
  /** `$OLLM_HOME`. */
  readonly home: string;
  readonly fileSystem: FileSystem;
  /** Whether outputs of tools are to be there. */
  readonly outputs: boolean;
  readonly place: SessionPlace;
}

/** Whether the catalogue has all sessions of the place as they are, and no process is at a sync. */
export async function isUpToDate({ catalog, home, fileSystem, outputs, place }: UpToDateOptions): Promise<boolean> {
  // A sync says why a place cannot be listed.
  const listed = await place.list().catch(() => undefined);
  if (listed === undefined) return false;
  const { sources, unlisted } = listed;
  const found = await catalog.ask((database) => {
    using lock = fileSystem.open(join(home, SYNC_LOCK), 'lock', 0o600);
    if (!lock.tryLock('shared')) return false;
    const known = knownSessions(database, place);
    if (sources.some((source) => !isIndexed(known.get(source.id), source, { outputs }))) return false;
    for (const { id } of sources) known.delete(id);
    // What a place has that is not there now, such as a disk that is not mounted, stays as it is.
    if (unlisted.length > 0) return true;
    return [...known.values()].every(({ state }) => state !== 'here');
  });
  return found.kind === 'done' && found.value;
}
