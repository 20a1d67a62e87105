// Stores for a program that has no configuration: what `createApp` takes from the settings has defaults here. Reads no
// configuration and no environment.
import { checkArguments, checkAsyncCalls, checkCalls } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { openFileStore as openStoreOfFiles } from '../file-store/file-store.ts';
import { openMemoryStore as openMemory } from '../file-store/memory-store.ts';
import type { JournalReader, JournalStore } from '../journal/types.ts';
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
  checkArguments('openFileStore', { directory: 'anything', options: 'object' }, [directory, options]);
  const { allowNetworkFileSystem } = options;
  if (typeof directory !== 'string' || directory === '') {
    throw new OllmError('STORE_REFUSED', 'A store needs the path of a directory.', {
      hint: 'An empty path is not one.',
    });
  }
  return checkedStore(
    openLocalStore({ ...ports(options), fileSystem: nodeFileSystem }, { directory, allowNetworkFileSystem }),
  );
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
  options: StoreOptions & { readonly directory?: string | undefined } = {},
): JournalStore {
  const table = { fileSystem: 'FileSystem', options: { 'directory?': 'text' } } as const;
  checkArguments('openStoreOver', table, [fileSystem, options]);
  const { directory = '/sessions' } = options;
  return checkedStore(openStoreOfFiles({ ...ports(options), fileSystem }, { directory }));
}

/**
 * Sessions that end with the process. The same contract as on disk.
 *
 * @example
 * const store = openMemoryStore();
 */
export function openMemoryStore(options: StoreOptions = {}): JournalStore {
  checkArguments('openMemoryStore', { options: 'object' }, [options]);
  return checkedStore(openMemory(ports(options)));
}

const ID = { id: 'text' } as const;

/** A program may call the store itself. */
function checkedStore(store: JournalStore): JournalStore {
  const document = { ...ID, kind: 'kind of document' } as const;
  const beginning = { created: 'anything', fill: 'function' } as const;
  checkAsyncCalls(store, {
    ...{ info: ID, has: ID, holder: ID, repair: ID, trash: ID, restore: ID, archiveDocument: ID },
    ...{ readDocument: document, removeDocument: document, setAsideDocument: document },
    create: { ...ID, created: 'object', 'options?': 'object' },
    createFilled: { ...ID, beginning: { ...beginning, created: 'object' } },
    openWriter: { ...ID, 'options?': 'object' },
    writeDocument: { ...document, text: 'text | pieces' },
    putBlob: { bytes: 'bytes', 'sessionId?': 'text' },
    readBlob: { sha256: 'text' },
    archive: { ...ID, 'suffix?': 'text' },
    replace: { ...ID, successor: { ...beginning, created: 'function' } },
    listTrash: { 'options?': 'object' },
    purge: { entry: 'text' },
  });
  const { openReader } = store;
  const checked: JournalStore = { ...store, openReader: (id, archive) => checkedReader(openReader(id, archive)) };
  return checkCalls(checked, { openReader: { ...ID, 'archive?': 'text' } });
}

function checkedReader(reader: JournalReader): JournalReader {
  const optional = { 'options?': 'object' } as const;
  checkCalls(reader, { outcomes: optional, backwards: optional, follow: { options: 'object' } });
  return checkAsyncCalls(reader, { holds: { anchor: { offset: 'number', xxh64: 'text' } }, verify: optional });
}

function ports({ log = silentLog, command = 'library' }: StoreOptions) {
  return { clock: systemClock, ids: systemIds, process: thisProcess(command), log };
}
