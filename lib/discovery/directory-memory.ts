// Remembers what directories held, so that a second walk reads only those in which something came or went. A directory
// is read again when its change time is another one, and not remembered while that time is so recent that a further
// change could carry the same one. What files hold is not remembered: sizes and times are looked up each time.
import { type Dirent, readdir, stat } from 'node:fs';

export interface DirectoryMemory {
  read(path: string, done: (error: NodeJS.ErrnoException | null, entries: readonly Dirent[]) => void): void;
  forget(): void;
}

/** Longer than the tick by which any local file system dates a change. */
const SETTLED_MS = 100;

export function createDirectoryMemory(maxDirectories = 8192): DirectoryMemory {
  const known = new Map<string, { readonly changedNs: bigint; readonly inode: bigint; readonly entries: Dirent[] }>();
  return {
    read(path, done) {
      stat(path, { bigint: true }, (error, stats) => {
        if (error) return done(error, []);
        const { ino: inode, ctimeNs: changedNs } = stats;
        const remembered = known.get(path);
        if (remembered?.changedNs === changedNs && remembered.inode === inode) return done(null, remembered.entries);
        const isSettled = changedNs < BigInt(Date.now() - SETTLED_MS) * 1_000_000n;
        readdir(path, { withFileTypes: true }, (failure, entries = []) => {
          known.delete(path);
          if (!failure && isSettled && known.size < maxDirectories) known.set(path, { changedNs, inode, entries });
          done(failure, entries);
        });
      });
    },
    forget: () => known.clear(),
  };
}
