// Reads directories and looks at files for a walk. What lies on a disk of this machine is read at once: the kernel nearly
// always has it in memory, and handing the question to a thread costs more than the answer. What lies on a network, or where
// nobody can tell, is asked for by threads, several questions at a time: a server that is slow, or gone, stops nothing else.
import { type Dirent, lstatSync, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import { systemErrorCode } from '../errors/index.ts';

export type MaybeLater<Value> = Value | Promise<Value>;

export interface Disk {
  /** The entries of a directory. `failed` says what stands in their place. Rejects with the reason of an aborted signal. */
  list(path: string, failed: (error: unknown) => Dirent[], signal?: AbortSignal): MaybeLater<Dirent[]>;
  /** Undefined where nothing is, or where nobody can say: that `failed` is told. Rejects as `list` does. */
  look(
    paths: readonly string[],
    failed: (index: number) => void,
    signal?: AbortSignal,
  ): MaybeLater<(Stats | undefined)[]>;
  /** How many directories are worth asking for at once. */
  readonly readAhead: number;
}

/** statfs types of the local file systems of Linux: ext, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS, bcachefs. */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/** Of the directory itself. It has some thousand entries, and reading it would take longer than others should wait. */
const LARGE_DIRECTORY_BYTES = 256 * 1024;
const ENTRIES_OF_A_PIECE = 1024;

const WITH_TYPES = { withFileTypes: true } as const;
const UNDEFINED_IF_GONE = { throwIfNoEntry: false } as const;

export const directDisk: Disk = {
  readAhead: 1,
  list(path, failed) {
    try {
      if (statSync(path).size > LARGE_DIRECTORY_BYTES) return readInPieces(path).catch(failed);
      return readdirSync(path, WITH_TYPES);
    } catch (error) {
      return failed(error);
    }
  },
  look: (paths, failed) =>
    paths.map((path, index) => {
      try {
        return lstatSync(path, UNDEFINED_IF_GONE);
      } catch {
        failed(index);
        return undefined;
      }
    }),
};

export const threadedDisk: Disk = {
  readAhead: 8,
  list: (path, failed, signal) => unlessAborted(promises.readdir(path, WITH_TYPES).catch(failed), signal),
  look: (paths, failed, signal) =>
    unlessAborted(
      Promise.all(
        paths.map((path, index) =>
          promises.lstat(path).catch((error: unknown) => {
            if (systemErrorCode(error) !== 'ENOENT') failed(index);
            return undefined;
          }),
        ),
      ),
      signal,
    ),
};

async function readInPieces(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await promises.opendir(path, { bufferSize: ENTRIES_OF_A_PIECE })) entries.push(entry);
  return entries;
}

export function diskOf(path: string): Disk {
  return isOnLocalDisk(path) ? directDisk : threadedDisk;
}

/** As far as one can tell, which is on Linux alone. */
export function isOnLocalDisk(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return LOCAL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    return false;
  }
}

/** An answer may never come. Rejects with the reason of the signal. */
export function unlessAborted<Value>(answer: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return answer;
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  // Who asked may have gone by then.
  promise.catch(() => {});
  answer.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject);
  return promise;
}
