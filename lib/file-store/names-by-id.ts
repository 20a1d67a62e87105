// The names in a directory of a store by the session that they begin with, so that moving many sessions reads the
// directory once and not once for each. They are read again when the directory was changed by anything but the moves of
// this store. Other processes add files of a session only while they hold its lock.
import type { FileSystem } from '../platform/files/file-system.ts';

/** The names in one directory. */
export interface NamesById {
  /** Reads the names, unless the directory is as this store left it. */
  refresh(): void;
  /** The names that begin with `<id>.`, as of the last refresh. */
  of(id: string): readonly string[];
  /** Takes what this store has just changed as known: the names of this session are now these. */
  settle(id: string, names: readonly string[]): void;
}

export function namesById(fileSystem: Pick<FileSystem, 'stat' | 'readNames'>, directory: string): NamesById {
  let changedNs: bigint | undefined;
  let names = new Map<string, readonly string[]>();
  const changedNow = () => fileSystem.stat(directory)?.changedNs;

  return {
    refresh() {
      const now = changedNow();
      if (now !== undefined && now === changedNs) return;
      changedNs = now;
      const exists = fileSystem.stat(directory) !== undefined;
      names = Map.groupBy(exists ? fileSystem.readNames(directory) : [], idOf);
    },
    of: (id) => names.get(id) ?? [],
    settle(id, left) {
      if (left.length === 0) names.delete(id);
      else names.set(id, left);
      changedNs = changedNow();
    },
  };
}

function idOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('.')));
}
