// A disk in memory with the same port: for sessions that are stored nowhere, and for tests. It behaves like a real one
// wherever the program can tell (inodes, several names, links, kernel locks per handle, system codes), also after a
// crash: `crash` ends the process that holds the handles, `powerCut` also drops content that was never synced.
import { type Clock, systemClock } from '../clock.ts';
import type { DirectoryEntry, FileHandle, FileSystem } from './file-system.ts';
import { systemError } from './io.ts';
import { openMemoryFile } from './memory-file.ts';
import { MAY_READ, MemoryTree, stepsOf } from './memory-tree.ts';

export interface MemoryFileSystemOptions {
  readonly clock?: Clock;
  /** Whose the files are. */
  readonly uid?: number;
}

/** Unsynced content that survives a power cut. */
export interface PowerCutOptions {
  /** New, removed and renamed names. Default: none of them. */
  readonly entries?: 'synced' | 'all';
  /** Bytes written or truncated. Default: none of them. */
  readonly content?: 'synced' | 'all';
}

export interface MemoryFileSystem extends FileSystem {
  /** Makes a symbolic link. */
  symbolicLink(target: string, path: string): void;
  /** Makes something that is neither file, directory nor link. */
  special(path: string): void;
  /** Ends the process: every open handle is gone, and its lock with it. */
  crash(): void;
  /** Ends the machine: `crash`, and unsynced content is lost as the options say. */
  powerCut(options?: PowerCutOptions): void;
}

/** It simulates a disk, so it says that it is one: the number of ext4. */
const EXT4 = 0xef53;
const CAPACITY_BYTES = 64 * 2 ** 30;

export function memoryFileSystem(options: MemoryFileSystemOptions = {}): MemoryFileSystem {
  const { clock = systemClock, uid = process.getuid?.() ?? 0 } = options;
  const tree = new MemoryTree(clock, uid);
  const handles = new Set<FileHandle>();

  function crash(): void {
    for (const handle of [...handles]) handle.close();
  }

  function readDirectory(path: string): DirectoryEntry[] {
    const directory = tree.directoryAt(stepsOf(path), path, 'scandir');
    if ((directory.mode & MAY_READ) === 0) throw systemError('EACCES', 'scandir', path);
    return [...directory.entries]
      .map(([name, { kind }]): DirectoryEntry => ({ name, kind }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    open(path, mode, permissions = 0o600) {
      const node = tree.fileToOpen(path, mode, permissions);
      const stat = () => tree.statOf(node);
      const handle = openMemoryFile(node, { path, mode, clock, stat, onClose: (closed) => handles.delete(closed) });
      handles.add(handle);
      return handle;
    },
    stat(path) {
      try {
        const { node } = tree.locate(path, 'lstat');
        return node && tree.statOf(node);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    readDirectory,
    readNames: (path) => readDirectory(path).map(({ name }) => name),
    makeDirectory: (path, permissions = 0o700) => tree.makeDirectory(path, permissions),
    rename: (from, to) => tree.rename(from, to),
    link(from, to) {
      const { node } = tree.existing(from, 'link');
      if (node.kind === 'directory') throw systemError('EPERM', 'link', from);
      tree.add(to, 'link', () => node);
      node.links += 1;
    },
    unlink(path) {
      const { parent, name, node } = tree.existing(path, 'unlink');
      if (node.kind === 'directory') throw systemError('EISDIR', 'unlink', path);
      tree.change(parent, path, 'unlink', (entries) => entries.delete(name));
      node.links -= 1;
    },
    removeDirectory(path) {
      const { parent, name, node } = tree.existing(path, 'rmdir');
      if (node.kind !== 'directory') throw systemError('ENOTDIR', 'rmdir', path);
      if (node.entries.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
      tree.change(parent, path, 'rmdir', (entries) => entries.delete(name));
    },
    changeMode(path, permissions) {
      const { node } = tree.existing(path, 'open');
      if (node.kind === 'link') throw systemError('ELOOP', 'open', path);
      node.mode = permissions;
    },
    async syncDirectory(path) {
      const directory = tree.directoryAt(stepsOf(path), path, 'open');
      directory.syncedEntries = new Map(directory.entries);
    },
    realPath: (path) => `/${tree.walk(stepsOf(path), path, 'realpath').real.join('/')}`,
    space(path) {
      tree.existing(path, 'statfs');
      return { freeBytes: CAPACITY_BYTES, totalBytes: CAPACITY_BYTES, type: EXT4 };
    },
    symbolicLink(target, path) {
      tree.add(path, 'symlink', () => tree.newLink(target));
    },
    special(path) {
      tree.add(path, 'mknod', () => tree.newOther());
    },
    crash,
    powerCut({ entries = 'synced', content = 'synced' } = {}) {
      crash();
      tree.forget({ entries: entries === 'synced', content: content === 'synced' });
    },
  };
}
