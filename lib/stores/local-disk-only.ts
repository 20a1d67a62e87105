// Keeps the store of a directory from writing where its promises do not hold: on a network file system neither locks
// nor syncs can be relied on, so two machines could write one journal, and acknowledged events could be lost. Reading
// is always allowed.
import { OllmError } from '../errors/index.ts';
import { type FileStoreOptions, openFileStore } from '../file-store/file-store.ts';
import type { JournalPorts } from '../journal/files/store-context.ts';
import type { JournalStore, ReadingMethod } from '../journal/types.ts';
import { fileSystemType } from '../platform/disks/file-system-kind.ts';
import { spaceAt } from '../platform/disks/space-at.ts';
import type { FileSystem } from '../platform/files/file-system.ts';

type WritingName = Exclude<keyof JournalStore, ReadingMethod>;

/** All of them: one that is missing does not compile. */
const WRITING = {
  create: true,
  createFilled: true,
  openWriter: true,
  writeDocument: true,
  removeDocument: true,
  setAsideDocument: true,
  archive: true,
  archiveDocument: true,
  replace: true,
  repair: true,
  trash: true,
  restore: true,
  purge: true,
  putBlob: true,
} as const satisfies Record<WritingName, true>;

type WritingMethod = (...args: unknown[]) => Promise<unknown>;

interface LocalStoreOptions extends FileStoreOptions {
  /** Write also where locks and syncs cannot be relied on. Default: no. */
  readonly allowNetworkFileSystem?: boolean | undefined;
}

/** `openFileStore`, on a local disk unless another is allowed. */
export function openLocalStore(ports: JournalPorts, options: LocalStoreOptions): JournalStore {
  const { allowNetworkFileSystem, ...place } = options;
  const store = openFileStore(ports, place);
  return allowNetworkFileSystem ? store : localDiskOnly(store, ports.fileSystem, place.directory);
}

/**
 * Wraps a store: each method that writes checks first where the directory is, because a different disk may be mounted
 * there.
 */
function localDiskOnly(store: JournalStore, fileSystem: FileSystem, directory: string): JournalStore {
  const guarded = (Object.keys(WRITING) as WritingName[]).map((name) => {
    const write = store[name] as WritingMethod;
    const method: WritingMethod = async (...args) => {
      refuseNetwork(fileSystem, directory);
      return write(...args);
    };
    return [name, method];
  });
  return { ...store, ...(Object.fromEntries(guarded) as Pick<JournalStore, WritingName>) };
}

function refuseNetwork(fileSystem: FileSystem, directory: string): void {
  const { kind, name } = fileSystemType(spaceAt(fileSystem, directory)?.type ?? 0);
  if (kind !== 'network') return;
  throw new OllmError(
    'STORE_ON_NETWORK',
    `The sessions in ${directory} lie on a network file system (${name}), where neither locks nor syncs can be relied on: nothing is written there.`,
    {
      hint: 'Set services.session.dataDir to a directory on a local disk, or accept the risk with --allow-network-fs.',
      data: { directory, fileSystem: name },
    },
  );
}
