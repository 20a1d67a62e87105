// A disk in memory behind the same port: for sessions that are kept nowhere, and for tests. It behaves as the real one
// does where the program can tell (inodes, several names, links, kernel locks per handle, system codes) and keeps what
// a crash leaves: `crash` ends the process that holds the handles, `powerCut` also forgets what was never synced.
import { sep } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import type { DirectoryEntry, FileHandle, FileStat, FileSystem, OpenMode } from './file-system.ts';
import { type SystemErrorCode, systemError } from './io.ts';

export interface MemoryFileSystemOptions {
  readonly clock?: Clock;
  /** Whose the files are. */
  readonly uid?: number;
}

/** What is still there after the power was cut, of that which nobody had synced. */
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
  /** Ends the machine: `crash`, and what was not synced is lost as the options say. */
  powerCut(options?: PowerCutOptions): void;
}

interface Common {
  readonly inode: bigint;
  mode: number;
  modifiedMs: number;
  links: number;
}
interface FileNode extends Common {
  readonly kind: 'file';
  buffer: Uint8Array;
  size: number;
  /** How many bytes are on the device … */
  syncedSize: number;
  /** … and which, where they were truncated since. */
  syncedBytes: Uint8Array | undefined;
  readonly locks: Map<object, 'exclusive' | 'shared'>;
}
interface DirectoryNode extends Common {
  readonly kind: 'directory';
  entries: Map<string, Node>;
  syncedEntries: Map<string, Node>;
}
interface LinkNode extends Common {
  readonly kind: 'link';
  readonly target: string;
}
interface OtherNode extends Common {
  readonly kind: 'other';
}
type Node = FileNode | DirectoryNode | LinkNode | OtherNode;

const DEVICE = 1n;
/** It stands for a disk, so it says that it is one: the number of ext4. */
const EXT4 = 0xef53;
const CAPACITY_BYTES = 64 * 2 ** 30;
const MAX_LINKS_FOLLOWED = 40;
const SEPARATOR = sep === '/' ? '/' : /[\\/]/;
const MAY_READ = 0o400;
const MAY_WRITE = 0o200;

export function memoryFileSystem(options: MemoryFileSystemOptions = {}): MemoryFileSystem {
  const clock = options.clock ?? systemClock;
  const uid = options.uid ?? process.getuid?.() ?? 0;
  const handles = new Set<FileHandle>();
  let nextInode = 1n;
  const root = newDirectory(0o755);

  function common(mode: number): Common {
    return { inode: nextInode++, mode, modifiedMs: clock.now(), links: 1 };
  }

  function newDirectory(mode: number): DirectoryNode {
    return { kind: 'directory', ...common(mode), entries: new Map(), syncedEntries: new Map() };
  }

  function newFile(mode: number): FileNode {
    const empty = new Uint8Array(0);
    return {
      kind: 'file',
      ...common(mode),
      buffer: empty,
      size: 0,
      syncedSize: 0,
      syncedBytes: undefined,
      locks: new Map(),
    };
  }

  /** What stands at `path`, and the directory that it stands in. A link in the last place is not followed. */
  function locate(path: string, syscall: string): { parent: DirectoryNode; name: string; node: Node | undefined } {
    const steps = stepsOf(path);
    const name = steps.pop();
    if (name === undefined) return { parent: root, name: '', node: root };
    const parent = directoryAt(steps, path, syscall);
    return { parent, name, node: parent.entries.get(name) };
  }

  function directoryAt(steps: readonly string[], path: string, syscall: string): DirectoryNode {
    const { node } = walk(steps, path, syscall);
    if (node.kind !== 'directory') throw systemError('ENOTDIR', syscall, path);
    return node;
  }

  /** What stands at the end of `steps`, all links followed, and its path without links. */
  function walk(steps: readonly string[], path: string, syscall: string): { node: Node; real: readonly string[] } {
    const left = [...steps];
    const real: string[] = [];
    let node: Node = root;
    let followed = 0;
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      if (node.kind !== 'directory') throw systemError('ENOTDIR', syscall, path);
      const found: Node | undefined = node.entries.get(step);
      if (found === undefined) throw systemError('ENOENT', syscall, path);
      if (found.kind === 'link') {
        followed += 1;
        if (followed > MAX_LINKS_FOLLOWED) throw systemError('ELOOP', syscall, path);
        left.unshift(...stepsOf(found.target, real.splice(0)));
        node = root;
      } else {
        real.push(step);
        node = found;
      }
    }
    return { node, real };
  }

  function existing(path: string, syscall: string): { parent: DirectoryNode; name: string; node: Node } {
    const { parent, name, node } = locate(path, syscall);
    if (node === undefined) throw systemError('ENOENT', syscall, path);
    return { parent, name, node };
  }

  function requireWritable(parent: DirectoryNode, path: string, syscall: string): void {
    if ((parent.mode & MAY_WRITE) === 0) throw systemError('EACCES', syscall, path);
  }

  function change(parent: DirectoryNode, path: string, syscall: string, apply: (entries: Map<string, Node>) => void) {
    requireWritable(parent, path, syscall);
    apply(parent.entries);
    parent.modifiedMs = clock.now();
  }

  function add(path: string, syscall: string, make: () => Node): void {
    const { parent, name, node } = locate(path, syscall);
    if (node !== undefined) throw systemError('EEXIST', syscall, path);
    change(parent, path, syscall, (entries) => entries.set(name, make()));
  }

  function statOf(node: Node): FileStat {
    const { kind, inode, links, mode, modifiedMs } = node;
    // Its clock ticks once in a millisecond, as that of some disks does.
    const changedNs = BigInt(modifiedMs) * 1_000_000n;
    return { kind, size: sizeOf(node), device: DEVICE, inode, links, mode, uid, modifiedMs, changedNs };
  }

  function openFile(path: string, mode: OpenMode, permissions: number): FileNode {
    const { parent, name, node } = locate(path, 'open');
    if (node !== undefined) {
      if (mode === 'create') throw systemError('EEXIST', 'open', path);
      if (node.kind !== 'file') throw systemError(REFUSED[node.kind], 'open', path);
      const needed = mode === 'read' ? MAY_READ : MAY_READ | MAY_WRITE;
      if ((node.mode & needed) !== needed) throw systemError('EACCES', 'open', path);
      return node;
    }
    if (mode === 'read' || mode === 'append') throw systemError('ENOENT', 'open', path);
    const created = newFile(permissions);
    change(parent, path, 'open', (entries) => entries.set(name, created));
    return created;
  }

  function openedFile(path: string, node: FileNode, mode: OpenMode): FileHandle {
    let isOpen = true;
    const whileOpen = (syscall: string) => {
      if (!isOpen) throw systemError('EBADF', syscall, path);
    };
    const forWriting = (syscall: string, code: SystemErrorCode) => {
      whileOpen(syscall);
      if (mode === 'read') throw systemError(code, syscall, path);
    };
    const sync = async (syscall: string) => {
      whileOpen(syscall);
      node.syncedSize = node.size;
      node.syncedBytes = undefined;
    };
    const handle: FileHandle = {
      path,
      write(bytes) {
        forWriting('write', 'EBADF');
        reserve(node, node.size + bytes.length);
        node.buffer.set(bytes, node.size);
        node.size += bytes.length;
        node.modifiedMs = clock.now();
        return bytes.length;
      },
      read(target, position) {
        whileOpen('read');
        const found = node.buffer.subarray(position, Math.min(position + target.length, node.size));
        target.set(found);
        return found.length;
      },
      stat() {
        whileOpen('fstat');
        return statOf(node);
      },
      truncate(length) {
        forWriting('ftruncate', 'EINVAL');
        if (length < node.syncedSize) node.syncedBytes ??= node.buffer.slice(0, node.syncedSize);
        reserve(node, length);
        node.buffer.fill(0, Math.min(length, node.size), Math.max(length, node.size));
        node.size = length;
        node.modifiedMs = clock.now();
      },
      sync: () => sync('fsync'),
      dataSync: () => sync('fdatasync'),
      tryLock(wanted = 'exclusive') {
        if (wanted === 'exclusive') forWriting('lock', 'EBADF');
        else whileOpen('lock');
        for (const [holder, held] of node.locks) {
          if (holder !== handle && (held === 'exclusive' || wanted === 'exclusive')) return false;
        }
        node.locks.set(handle, wanted);
        return true;
      },
      close() {
        isOpen = false;
        node.locks.delete(handle);
        handles.delete(handle);
      },
    };
    handles.add(handle);
    return handle;
  }

  function crash(): void {
    for (const handle of [...handles]) handle.close();
  }

  function readDirectory(path: string): DirectoryEntry[] {
    const directory = directoryAt(stepsOf(path), path, 'scandir');
    if ((directory.mode & MAY_READ) === 0) throw systemError('EACCES', 'scandir', path);
    return [...directory.entries]
      .map(([name, { kind }]): DirectoryEntry => ({ name, kind }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  return {
    open: (path, mode, permissions = 0o600) => openedFile(path, openFile(path, mode, permissions), mode),
    stat(path) {
      try {
        const { node } = locate(path, 'lstat');
        return node && statOf(node);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    readDirectory,
    readNames: (path) => readDirectory(path).map(({ name }) => name),
    makeDirectory(path, permissions = 0o700) {
      const steps = stepsOf(path);
      for (const [index, step] of steps.entries()) {
        const parent = directoryAt(steps.slice(0, index), path, 'mkdir');
        if (!parent.entries.has(step)) {
          change(parent, path, 'mkdir', (entries) => entries.set(step, newDirectory(permissions)));
        }
      }
      if (walk(steps, path, 'mkdir').node.kind !== 'directory') throw systemError('EEXIST', 'mkdir', path);
    },
    rename(from, to) {
      const source = existing(from, 'rename');
      const target = locate(to, 'rename');
      if (source.node === target.node) return;
      if (target.node?.kind === 'directory') {
        if (source.node.kind !== 'directory') throw systemError('EISDIR', 'rename', from);
        if (target.node.entries.size > 0) throw systemError('ENOTEMPTY', 'rename', from);
      } else if (target.node !== undefined && source.node.kind === 'directory') {
        throw systemError('ENOTDIR', 'rename', from);
      }
      requireWritable(target.parent, to, 'rename');
      change(source.parent, from, 'rename', (entries) => entries.delete(source.name));
      change(target.parent, to, 'rename', (entries) => entries.set(target.name, source.node));
      if (target.node !== undefined) target.node.links -= 1;
    },
    link(from, to) {
      const { node } = existing(from, 'link');
      if (node.kind === 'directory') throw systemError('EPERM', 'link', from);
      add(to, 'link', () => node);
      node.links += 1;
    },
    unlink(path) {
      const { parent, name, node } = existing(path, 'unlink');
      if (node.kind === 'directory') throw systemError('EISDIR', 'unlink', path);
      change(parent, path, 'unlink', (entries) => entries.delete(name));
      node.links -= 1;
    },
    removeDirectory(path) {
      const { parent, name, node } = existing(path, 'rmdir');
      if (node.kind !== 'directory') throw systemError('ENOTDIR', 'rmdir', path);
      if (node.entries.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
      change(parent, path, 'rmdir', (entries) => entries.delete(name));
    },
    changeMode(path, permissions) {
      const { node } = existing(path, 'open');
      if (node.kind === 'link') throw systemError('ELOOP', 'open', path);
      node.mode = permissions;
    },
    async syncDirectory(path) {
      const directory = directoryAt(stepsOf(path), path, 'open');
      directory.syncedEntries = new Map(directory.entries);
    },
    realPath: (path) => `/${walk(stepsOf(path), path, 'realpath').real.join('/')}`,
    space(path) {
      existing(path, 'statfs');
      return { freeBytes: CAPACITY_BYTES, totalBytes: CAPACITY_BYTES, type: EXT4 };
    },
    symbolicLink(target, path) {
      add(path, 'symlink', () => ({ kind: 'link', ...common(0o777), target }));
    },
    special(path) {
      add(path, 'mknod', () => ({ kind: 'other', ...common(0o600) }));
    },
    crash,
    powerCut({ entries = 'synced', content = 'synced' } = {}) {
      crash();
      forget(root, { entries, content });
      countNames(root);
    },
  };
}

const REFUSED = { directory: 'EISDIR', link: 'ELOOP', other: 'ENXIO' } as const;

/** The names in a path, seen from `base`; `.` and `..` are resolved before any link is. */
function stepsOf(path: string, base: readonly string[] = []): string[] {
  const steps = path.startsWith('/') ? [] : [...base];
  for (const step of path.split(SEPARATOR)) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps;
}

function sizeOf(node: Node): number {
  return node.kind === 'file' ? node.size : 0;
}

/** Room for `length` bytes; doubled, so that appending costs the same however much there is. */
function reserve(node: FileNode, length: number): void {
  if (length <= node.buffer.length) return;
  const larger = new Uint8Array(Math.max(length, node.buffer.length * 2, 4096));
  larger.set(node.buffer.subarray(0, node.size));
  node.buffer = larger;
}

function forget(directory: DirectoryNode, lost: Required<PowerCutOptions>): void {
  if (lost.entries === 'synced') directory.entries = new Map(directory.syncedEntries);
  for (const node of directory.entries.values()) {
    if (node.kind === 'directory') forget(node, lost);
    if (node.kind === 'file' && lost.content === 'synced') forgetContent(node);
  }
}

/** A name that came back, or went, counts again. */
function countNames(root: DirectoryNode): void {
  const names = new Map<Node, number>();
  const walk = (directory: DirectoryNode): void => {
    for (const node of directory.entries.values()) {
      names.set(node, (names.get(node) ?? 0) + 1);
      if (node.kind === 'directory') walk(node);
    }
  };
  walk(root);
  for (const [node, links] of names) node.links = links;
}

function forgetContent(node: FileNode): void {
  const bytes = node.syncedBytes ?? node.buffer.slice(0, node.syncedSize);
  node.buffer = bytes;
  node.size = bytes.length;
  node.syncedSize = bytes.length;
  node.syncedBytes = undefined;
}
