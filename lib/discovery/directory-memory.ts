// The entries of directories that were read before, so that a second walk reads only those in which an entry came or
// went. A directory is read again when its inode or change time differs. It is not remembered while that time is recent
// enough for a further change to carry the same one. Sizes and times of files are never remembered.
import { type Dirent, readdir, stat } from 'node:fs';

export interface DirectoryMemory {
  /** As `readdir` with types does. */
  read(path: string, done: (error: NodeJS.ErrnoException | null, entries: readonly Dirent[]) => void): void;
  forget(): void;
}

/** Longer than the tick by which any local file system dates a change. */
const SETTLED_MS = 100;
const MOST_ENTRIES = 200_000;

interface Remembered {
  readonly inode: bigint;
  readonly changedNs: bigint;
  readonly entries: readonly Dirent[];
}

interface DirectoryMemoryOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Entries in all; a directory that does not fit is read each time. Default: 200,000. */
  readonly mostEntries?: number | undefined;
  /** How long a directory must be unchanged before it is remembered. Default: 100. */
  readonly settledMs?: number | undefined;
}

export function createDirectoryMemory({
  now,
  mostEntries = MOST_ENTRIES,
  settledMs = SETTLED_MS,
}: DirectoryMemoryOptions): DirectoryMemory {
  const known = new Map<string, Remembered>();
  let held = 0;

  function keep(path: string, found: Remembered | undefined): void {
    held -= known.get(path)?.entries.length ?? 0;
    known.delete(path);
    if (found === undefined || held + found.entries.length > mostEntries) return;
    known.set(path, found);
    held += found.entries.length;
  }

  return {
    read(path, done) {
      stat(path, { bigint: true }, (error, stats) => {
        if (error) return done(error, []);
        const { ino: inode, ctimeNs: changedNs } = stats;
        const remembered = known.get(path);
        if (remembered?.inode === inode && remembered.changedNs === changedNs) return done(null, remembered.entries);
        const isSettled = changedNs < BigInt(now() - settledMs) * 1_000_000n;
        readdir(path, { withFileTypes: true }, (failure, entries = []) => {
          keep(path, failure || !isSettled ? undefined : { inode, changedNs, entries });
          done(failure, entries);
        });
      });
    },
    forget() {
      known.clear();
      held = 0;
    },
  };
}
