// The real disk. Opens regular files only, never through a link in the last place, never waiting at a FIFO. Locks are
// the kernel's, held by the open file itself: two handles of one process exclude each other too. The native module that
// takes them is loaded at the first lock, so that a program that only reads never pays for it.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { DirectoryEntry, FileHandle, FileKind, FileStat, FileSystem, OpenMode } from './file-system.ts';
import { systemError } from './io.ts';
import { loadLocks, type TryLock } from './native-locks.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;
// Windows has neither: its links need a right of their own, and it has no FIFO in the file system.
const SAFE = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const LOOK = { bigint: true, throwIfNoEntry: false } as const;
const IS_WINDOWS = process.platform === 'win32';

const OPEN_FLAGS: Record<OpenMode, number> = {
  read: O_RDONLY | SAFE,
  append: O_RDWR | O_APPEND | SAFE,
  create: O_RDWR | O_APPEND | O_CREAT | O_EXCL | SAFE,
  lock: O_RDWR | O_CREAT | SAFE,
};

export const nodeFileSystem: FileSystem = {
  open(path, mode, permissions = 0o600) {
    const descriptor = fs.openSync(path, OPEN_FLAGS[mode], permissions);
    try {
      const { kind } = new NodeStat(fs.fstatSync(descriptor, { bigint: true }));
      if (kind !== 'file') throw systemError(kind === 'directory' ? 'EISDIR' : 'ENXIO', 'open', path);
      return openedFile(path, descriptor);
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  },
  stat(path) {
    const stat = fs.lstatSync(path, LOOK);
    return stat && new NodeStat(stat);
  },
  readDirectory(path) {
    return fs
      .readdirSync(path, { withFileTypes: true })
      .map((entry): DirectoryEntry => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },
  readNames: (path) => fs.readdirSync(path).sort(),
  makeDirectory,
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  removeDirectory: (path) => fs.rmdirSync(path),
  changeMode(path, permissions) {
    if (IS_WINDOWS) return fs.chmodSync(path, permissions);
    // chmod by path would follow a link; the mode of an open file cannot be that of another file.
    const descriptor = fs.openSync(path, OPEN_FLAGS.read);
    try {
      fs.fchmodSync(descriptor, permissions);
    } finally {
      fs.closeSync(descriptor);
    }
  },
  async syncDirectory(path) {
    if (IS_WINDOWS) return;
    const directory = await inPool<number>((done) => fs.open(path, O_RDONLY | fs.constants.O_DIRECTORY, done));
    try {
      await inPool<void>((done) => fs.fsync(directory, done));
    } catch (error) {
      // What fsync answers where a file system knows no such thing as syncing a directory.
      if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    } finally {
      fs.closeSync(directory);
    }
  },
  realPath: (path) => fs.realpathSync.native(path),
  space(path) {
    const { bavail, blocks, bsize, type } = fs.statfsSync(path, { bigint: true });
    return { freeBytes: Number(bavail * bsize), totalBytes: Number(blocks * bsize), type: Number(type) };
  },
};

/** What node:fs/promises would do, which a start need not load for it. */
function inPool<Result>(begin: (done: (error: Error | null, result?: Result) => void) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    begin((error, result) => (error ? reject(error) : resolve(result as Result)));
  });
}

/** Step by step: asked for all at once, Node tries forever where a directory cannot be made, as under /proc. */
function makeDirectory(path: string, permissions = 0o700): void {
  if (makeOne(path, permissions)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above, permissions);
  if (!makeOne(path, permissions)) throw systemError('ENOENT', 'mkdir', path);
}

/** False if there is nothing that it could be in. */
function makeOne(path: string, permissions: number): boolean {
  try {
    fs.mkdirSync(path, { mode: permissions });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return true;
    throw error;
  }
}

function openedFile(path: string, descriptor: number): FileHandle {
  let isOpen = true;
  let syncsUnderWay = 0;

  function whileOpen(syscall: string): number {
    if (!isOpen) throw systemError('EBADF', syscall, path);
    return descriptor;
  }

  // The kernel gives a closed number to the next file that is opened. A sync that is still waiting for its turn would
  // then vouch for the wrong file, so the number stays taken until the last sync is back.
  function release(): void {
    if (!isOpen && syncsUnderWay === 0) fs.closeSync(descriptor);
  }

  /** Begins a sync, which ends when the callback is called: one promise, whichever way it goes. */
  function synced(syscall: string, begin: (open: number, done: (error: unknown) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const open = whileOpen(syscall);
      syncsUnderWay += 1;
      begin(open, (error) => {
        syncsUnderWay -= 1;
        release();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  return {
    path,
    write: (bytes) => fs.writeSync(whileOpen('write'), bytes),
    read: (target, position) => fs.readSync(whileOpen('read'), target, 0, target.length, position),
    stat: () => new NodeStat(fs.fstatSync(whileOpen('fstat'), { bigint: true })),
    truncate: (length) => fs.ftruncateSync(whileOpen('ftruncate'), length),
    sync: () => synced('fsync', fs.fsync),
    dataSync: () => synced('fdatasync', fs.fdatasync),
    tryLock(mode = 'exclusive') {
      tryLock ??= loadLocks();
      return tryLock(whileOpen('lock'), mode);
    },
    close,
    [Symbol.dispose]: close,
  };

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    release();
  }
}

let tryLock: TryLock | undefined;

/** Each member is made when it is asked for: a look at thousands of files asks for four of them. */
class NodeStat implements FileStat {
  readonly #stat: fs.BigIntStats;

  constructor(stat: fs.BigIntStats) {
    this.#stat = stat;
  }

  get kind(): FileKind {
    return KINDS.get(Number(this.#stat.mode) & fs.constants.S_IFMT) ?? 'other';
  }

  get size(): number {
    return Number(this.#stat.size);
  }

  get device(): bigint {
    return this.#stat.dev;
  }

  get inode(): bigint {
    return this.#stat.ino;
  }

  get links(): number {
    return Number(this.#stat.nlink);
  }

  get mode(): number {
    return Number(this.#stat.mode) & 0o7777;
  }

  get uid(): number {
    return Number(this.#stat.uid);
  }

  get modifiedMs(): number {
    return Number(this.#stat.mtimeMs);
  }

  get changedNs(): bigint {
    return this.#stat.ctimeNs;
  }

  get bornNs(): bigint | undefined {
    const { birthtimeNs } = this.#stat;
    return birthtimeNs > 0n ? birthtimeNs : undefined;
  }
}

const KINDS: ReadonlyMap<number, FileKind> = new Map([
  [fs.constants.S_IFREG, 'file'],
  [fs.constants.S_IFDIR, 'directory'],
  [fs.constants.S_IFLNK, 'link'],
]);

function kindOf(entry: fs.Dirent): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
