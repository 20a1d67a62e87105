// The only door to the disk. Everything that reads or writes a file does so through this port, so that a test can put a
// disk in its place that tears, fills up, fails and forgets. Calls that only touch the page cache are synchronous; the
// two that wait for the device (sync, dataSync) are promises. Errors are those of the operating system, with their
// `code`.

export type FileKind = 'file' | 'directory' | 'link' | 'other';

/** Facts about a file. Its members may be getters: a spread of it has none. */
export interface FileStat {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  readonly device: bigint;
  readonly inode: bigint;
  /** Names (hard links) that the file has. */
  readonly links: number;
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly uid: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  /**
   * Nanoseconds since 1970: when content, names or permissions last changed. No program can set it, unlike
   * `modifiedMs`. Undefined where the file system does not say.
   */
  readonly changedNs?: bigint | undefined;
  /**
   * Nanoseconds since 1970: when it was made. With the inode it is that of no other file, also after a removal.
   * Undefined where the file system does not say.
   */
  readonly bornNs?: bigint | undefined;
}

/**
 * How a file is opened. None of them follows a symbolic link in the last place of the path (ELOOP), opens a directory
 * (EISDIR) or anything else that is not a regular file (ENXIO), and none waits at a FIFO.
 * - `read`: must be there
 * - `append`: read and append, must be there
 * - `create`: read and append, must not be there yet (exclusive)
 * - `lock`: read and write, made if it is not there
 */
export type OpenMode = 'read' | 'append' | 'create' | 'lock';

export interface FileHandle extends Disposable {
  readonly path: string;
  /** Writes at the end (append, create). Returns how many bytes were taken, which may be fewer than given. */
  write(bytes: Uint8Array): number;
  /** Reads into `target` from `position`. Returns how many bytes came, which may be fewer; 0 at the end. */
  read(target: Uint8Array, position: number): number;
  stat(): FileStat;
  truncate(length: number): void;
  /** Waits until content and metadata are on the device. */
  sync(): Promise<void>;
  /** Waits until the content, with the metadata needed to read it back, is on the device. */
  dataSync(): Promise<void>;
  /** Takes a kernel lock for this handle; false if another handle holds it. Released with the process. */
  tryLock(mode?: 'exclusive' | 'shared'): boolean;
  /** Closes it and gives up its lock. Harmless when done twice. The end of a `using` does the same. */
  close(): void;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export interface DiskSpace {
  /** Bytes that we may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** The kernel's number for the kind of file system (statfs f_type). */
  readonly type: number;
}

export interface FileSystem {
  open(path: string, mode: OpenMode, permissions?: number): FileHandle;
  /** Follows no link. Undefined if there is nothing. */
  stat(path: string): FileStat | undefined;
  /** Sorted by name. */
  readDirectory(path: string): DirectoryEntry[];
  /** Only the names, without their kinds, in less time. */
  readNames(path: string): string[];
  /** Makes the directory and those above it, with 0700 unless told otherwise. */
  makeDirectory(path: string, permissions?: number): void;
  /** Replaces an existing file at `to`. */
  rename(from: string, to: string): void;
  /** Gives the file a second name; fails with EEXIST if `to` is there. */
  link(from: string, to: string): void;
  unlink(path: string): void;
  removeDirectory(path: string): void;
  changeMode(path: string, permissions: number): void;
  /** Waits until the directory's entries are on the device. Does nothing where the system has no such call. */
  syncDirectory(path: string): Promise<void>;
  /** The real path, all links resolved. */
  realPath(path: string): string;
  space(path: string): DiskSpace;
}
