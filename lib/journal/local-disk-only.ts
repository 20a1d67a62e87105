// Keeps a store from writing where its promises do not hold: on a network file system neither locks nor syncs can be
// relied on, so two machines could write one journal, and what was acknowledged could be gone. Reading is always allowed.
import { dirname } from 'node:path';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import type { FileSystem } from '../platform/file-system.ts';
import { fileSystemType } from '../platform/file-system-kind.ts';
import type { JournalStore } from './types.ts';

const WRITING = [
  'create',
  'openWriter',
  'writeDocument',
  'removeDocument',
  'setAsideDocument',
  'archive',
  'repair',
  'trash',
  'restore',
  'purge',
  'putBlob',
] as const satisfies readonly (keyof JournalStore)[];

type WritingMethod = (...args: unknown[]) => Promise<unknown>;

/** The same store; whatever writes asks first where the directory lies, each time: it may be mounted over. */
export function localDiskOnly(
  store: JournalStore,
  { fileSystem, directory }: { readonly fileSystem: FileSystem; readonly directory: string },
): JournalStore {
  const guarded = WRITING.map((name) => {
    const write = store[name] as WritingMethod;
    const method: WritingMethod = async (...args) => {
      refuseNetwork(fileSystem, directory);
      return write(...args);
    };
    return [name, method];
  });
  return { ...store, ...(Object.fromEntries(guarded) as Pick<JournalStore, (typeof WRITING)[number]>) };
}

function refuseNetwork(fileSystem: FileSystem, directory: string): void {
  const { kind, name } = fileSystemType(typeAt(fileSystem, directory));
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

/** Of the directory, or of the nearest one above it that is there. 0 where the system does not say. */
function typeAt(fileSystem: FileSystem, directory: string): number {
  for (let place = directory; ; place = dirname(place)) {
    try {
      return fileSystem.space(place).type;
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      if (systemErrorCode(error) !== 'ENOENT' || dirname(place) === place) return 0;
    }
  }
}
