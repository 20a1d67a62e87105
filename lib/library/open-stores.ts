// Stores for a program that has no configuration: what `createApp` takes from the settings has defaults here. Reads no
// configuration and no environment.
import { OllmError } from '../errors/index.ts';
import { openFileStore as openStoreOfFiles } from '../file-store/file-store.ts';
import { openMemoryStore as openMemory } from '../file-store/memory-store.ts';
import type { JournalStore } from '../journal/types.ts';
import { systemClock } from '../platform/clock.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { nodeFileSystem } from '../platform/files/node-file-system.ts';
import { systemIds } from '../platform/ids.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { thisProcess } from '../platform/processes/process-info.ts';
import { openLocalStore } from '../stores/local-disk-only.ts';

/** Settings of any store. */
export interface StoreOptions {
  readonly log?: Log | undefined;
  /** The name of this process, shown to others that meet its lock. Default: “library”. */
  readonly command?: string | undefined;
}

/** Settings of a store on disk. */
export interface StoreDirectoryOptions extends StoreOptions {
  /** Whether to write on NFS, SMB or 9p too, where neither locks nor syncs are reliable. Default: no. */
  readonly allowNetworkFileSystem?: boolean | undefined;
}

/**
 * The sessions of a directory, which is made at the first write.
 *
 * @example
 * const store = openFileStore('/home/me/notes');
 * @throws OllmError STORE_REFUSED: the path is empty, a link, not a directory, or not ours
 */
export function openFileStore(directory: string, options: StoreDirectoryOptions = {}): JournalStore {
  const { allowNetworkFileSystem } = options;
  if (typeof directory !== 'string' || directory === '') {
    throw new OllmError('STORE_REFUSED', 'A store needs the path of a directory.', {
      hint: 'An empty path is not one.',
    });
  }
  return openLocalStore({ ...ports(options), fileSystem: nodeFileSystem }, { directory, allowNetworkFileSystem });
}

/**
 * The sessions of a file system of your own: recovery, locks, archive, trash and attachments work over its 14 calls.
 * docs/own-store.md makes one of a database.
 *
 * @example
 * const store = openStoreOver(sqliteFileSystem('./sessions.sqlite'));
 * @throws OllmError STORE_REFUSED: there is something else in the place of the directory
 */
export function openStoreOver(
  fileSystem: FileSystem,
  { directory = '/sessions', ...options }: StoreOptions & { readonly directory?: string | undefined } = {},
): JournalStore {
  return openStoreOfFiles({ ...ports(options), fileSystem }, { directory });
}

/**
 * Sessions that end with the process. The same contract as on disk.
 *
 * @example
 * const store = openMemoryStore();
 */
export function openMemoryStore(options: StoreOptions = {}): JournalStore {
  return openMemory(ports(options));
}

function ports({ log = silentLog, command = 'library' }: StoreOptions) {
  return { clock: systemClock, ids: systemIds, process: thisProcess(command), log };
}
