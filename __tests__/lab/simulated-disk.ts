// A disk that forgets, tears and fails, behind the port lib/platform/file-system.ts. Deterministic: the same random
// numbers give the same disk.
//
// It remembers, for each file, what is on the device and every write and truncation since the last sync that returned;
// for each directory, the same of its entries. `crash` ends all processes and picks one of the states that the device
// may be left in: each change is there, missing, there in part (any sectors of 512 bytes, a prefix), or replaced by
// zeros where only the length arrived. Order holds within one file's length and within one directory's journal or not
// at all, and never between files. Renames are atomic. A sync that fails leaves the pages clean: what it should have
// saved can still be read, and no later sync will save it (as Linux does it, and as programs forget).
import { dirname } from 'node:path';
import type {
  DirectoryEntry,
  DiskSpace,
  FileHandle,
  FileStat,
  FileSystem,
  OpenMode,
} from '../../lib/platform/file-system.ts';
import { type SystemErrorCode, systemError } from '../../lib/platform/system-error.ts';

export const SECTOR_BYTES = 512;

export type Operation =
  | 'open'
  | 'write'
  | 'read'
  | 'stat'
  | 'truncate'
  | 'sync'
  | 'dataSync'
  | 'rename'
  | 'link'
  | 'unlink'
  | 'makeDirectory'
  | 'removeDirectory'
  | 'readDirectory'
  | 'changeMode'
  | 'syncDirectory'
  | 'lock';

/** What goes wrong, and at which call of its kind (from 1), counted from when the fault was planted. */
export interface Fault {
  readonly operation: Operation | 'any';
  readonly at: number;
  readonly error: SystemErrorCode | 'crash' | 'short';
  /** From then on every call of the kind fails. */
  readonly forGood?: boolean | undefined;
}

/** Thrown out of a call when the machine dies in it. Nothing of the program may run on. */
export class MachineDied extends Error {
  constructor(operation: string) {
    super(`the machine died in ${operation}`);
    this.name = 'MachineDied';
  }
}

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

interface FileNode {
  readonly kind: 'file';
  readonly inode: bigint;
  mode: number;
  modifiedMs: number;
  content: Uint8Array;
  durable: Uint8Array;
  /** Since the last sync that returned, oldest first. */
  pending: Change[];
  lock: { holder: object; shared: boolean }[];
}

type EntryChange = {
  readonly kind: 'set';
  readonly directory: string;
  readonly name: string;
  readonly node: FileNode | undefined;
  /** The other half of a rename: both happen, or neither. */
  readonly also?: { readonly directory: string; readonly name: string };
};

interface DirectoryNode {
  readonly kind: 'directory';
  path: string;
  mode: number;
  modifiedMs: number;
  entries: Map<string, FileNode>;
  durable: Map<string, FileNode>;
  isDurable: boolean;
}

export interface SimulatedDisk extends FileSystem {
  /** Plants a fault. */
  fault(fault: Fault): void;
  /** Takes all faults away. */
  heal(): void;
  /** Runs something that no fault strikes. */
  undisturbed<T>(action: () => T): T;
  /** Bytes that all files together may have. */
  capacityBytes: number;
  /** Calls so far, by kind. */
  readonly calls: Readonly<Record<Operation, number>>;
  /** Whether a planted fault ended the machine, and nobody has picked up the pieces yet. */
  readonly isDead: boolean;
  /** The disk as one process sees it: once that is dead, no call of it reaches the disk any more. */
  mount(): FileSystem;
  /** Ends every process: open handles and locks are gone, what was written stays in the page cache. */
  kill(): void;
  /** Ends the machine and picks what is left, by `random`. */
  crash(random: () => number): void;
  /** All files as they are now. For checks that nothing vanished. */
  files(): ReadonlyMap<string, Uint8Array>;
  /** Called before each operation; for the lab's statistics and for stops in the middle. */
  onCall: ((operation: Operation, path: string) => void) | undefined;
}

const PORT = [
  'open',
  'stat',
  'readDirectory',
  'makeDirectory',
  'rename',
  'link',
  'unlink',
  'removeDirectory',
  'changeMode',
  'syncDirectory',
  'realPath',
  'space',
] as const satisfies readonly (keyof FileSystem)[];

export function simulatedDisk(
  options: { readonly now?: () => number; readonly capacityBytes?: number } = {},
): SimulatedDisk {
  const now = options.now ?? (() => 0);
  let nextInode = 1n;
  /** Raised when processes end: whoever was born before is dead. */
  let generation = 0;
  let isDead = false;
  let faults: (Fault & { seen: number })[] = [];
  let entryChanges: EntryChange[] = [];
  const directories = new Map<string, DirectoryNode>();
  for (const path of ['/', '/home']) directories.set(path, newDirectory(path, true));
  const calls = Object.fromEntries(
    (
      [
        'open',
        'write',
        'read',
        'stat',
        'truncate',
        'sync',
        'dataSync',
        'rename',
        'link',
        'unlink',
        'makeDirectory',
        'removeDirectory',
        'readDirectory',
        'changeMode',
        'syncDirectory',
        'lock',
      ] as const
    ).map((operation) => [operation, 0]),
  ) as Record<Operation, number>;

  function newDirectory(path: string, isDurable: boolean): DirectoryNode {
    return {
      kind: 'directory',
      path,
      mode: 0o700,
      modifiedMs: now(),
      entries: new Map(),
      durable: new Map(),
      isDurable,
    };
  }

  /** Counts the call, and fails it if a planted fault says so. Returns true for a short read or write. */
  function enter(operation: Operation, path: string): boolean {
    if (isDead) throw new MachineDied(operation);
    calls[operation]++;
    disk.onCall?.(operation, path);
    for (const fault of faults) {
      if (fault.operation !== 'any' && fault.operation !== operation) continue;
      fault.seen++;
      if (fault.seen !== fault.at && !(fault.forGood && fault.seen > fault.at)) continue;
      if (fault.error === 'crash') {
        isDead = true;
        throw new MachineDied(operation);
      }
      if (fault.error === 'short') {
        if (operation === 'write' || operation === 'read') return true;
        continue;
      }
      throw systemError(fault.error, operation, path);
    }
    return false;
  }

  function directoryOf(path: string, syscall: string): DirectoryNode {
    const directory = directories.get(dirname(path));
    if (!directory) throw systemError('ENOENT', syscall, path);
    return directory;
  }

  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

  function find(path: string, syscall: string): FileNode {
    const node = directoryOf(path, syscall).entries.get(nameOf(path));
    if (!node) throw systemError(directories.has(path) ? 'EISDIR' : 'ENOENT', syscall, path);
    return node;
  }

  function setEntry(path: string, node: FileNode | undefined, also?: EntryChange['also']): void {
    const directory = directoryOf(path, 'rename');
    if (node) directory.entries.set(nameOf(path), node);
    else directory.entries.delete(nameOf(path));
    directory.modifiedMs = now();
    entryChanges.push({ kind: 'set', directory: directory.path, name: nameOf(path), node, ...(also && { also }) });
  }

  function usedBytes(): number {
    let used = 0;
    for (const directory of directories.values())
      for (const node of directory.entries.values()) used += node.content.length;
    return used;
  }

  function links(node: FileNode): number {
    let count = 0;
    for (const directory of directories.values())
      for (const other of directory.entries.values()) if (other === node) count++;
    return count;
  }

  function statOf(node: FileNode): FileStat {
    return {
      kind: 'file',
      size: node.content.length,
      device: 1n,
      inode: node.inode,
      links: links(node),
      mode: node.mode,
      uid: process.getuid?.() ?? 0,
      modifiedMs: node.modifiedMs,
    };
  }

  function handle(path: string, node: FileNode): FileHandle {
    const born = generation;
    let isOpen = true;
    const me = {};
    const use = (operation: Operation): boolean => {
      if (born !== generation) throw new MachineDied(operation);
      if (!isOpen) throw systemError('EBADF', operation, path);
      return enter(operation, path);
    };
    const flush = async (operation: 'sync' | 'dataSync'): Promise<void> => {
      const saved = node.pending.length;
      const content = node.content;
      try {
        use(operation);
      } catch (error) {
        // The pages are marked clean although they never reached the device.
        if (!(error instanceof MachineDied)) node.pending.splice(0, saved);
        throw error;
      }
      await null;
      if (born !== generation) throw new MachineDied(operation);
      node.durable = apply(node.durable, node.pending.splice(0, saved), content);
    };
    return {
      path,
      write(bytes) {
        const isShort = use('write');
        let length = isShort ? Math.max(0, bytes.length >> 1) : bytes.length;
        const free = disk.capacityBytes - usedBytes();
        if (free <= 0 && length > 0) throw systemError('ENOSPC', 'write', path);
        length = Math.min(length, free);
        // A copy: slice() of a Buffer would be a view of memory that the writer uses again.
        const written = new Uint8Array(bytes.subarray(0, length));
        const position = node.content.length;
        node.content = joined(node.content, written, position);
        node.pending.push({ kind: 'write', position, bytes: written });
        node.modifiedMs = now();
        return length;
      },
      read(target, position) {
        const isShort = use('read');
        const wanted = isShort ? Math.max(1, target.length >> 1) : target.length;
        const slice = node.content.subarray(position, position + wanted);
        target.set(slice);
        return slice.length;
      },
      stat() {
        use('stat');
        return statOf(node);
      },
      truncate(length) {
        use('truncate');
        node.content = resized(node.content, length);
        node.pending.push({ kind: 'truncate', length });
      },
      sync: () => flush('sync'),
      dataSync: () => flush('dataSync'),
      tryLock(mode = 'exclusive') {
        use('lock');
        const others = node.lock.filter((lock) => lock.holder !== me);
        if (others.some((lock) => mode === 'exclusive' || !lock.shared)) return false;
        node.lock = [...others, { holder: me, shared: mode === 'shared' }];
        return true;
      },
      close() {
        isOpen = false;
        node.lock = node.lock.filter((lock) => lock.holder !== me);
      },
    };
  }

  const disk: SimulatedDisk = {
    calls,
    capacityBytes: options.capacityBytes ?? Number.MAX_SAFE_INTEGER,
    onCall: undefined,
    fault(fault) {
      faults.push({ ...fault, seen: 0 });
    },
    heal() {
      faults = [];
    },
    undisturbed(action) {
      const planted = faults;
      faults = [];
      try {
        return action();
      } finally {
        faults = planted;
      }
    },
    open(path: string, mode: OpenMode, permissions = 0o600) {
      enter('open', path);
      const directory = directoryOf(path, 'open');
      let node = directory.entries.get(nameOf(path));
      if (!node && directories.has(path)) throw systemError('EISDIR', 'open', path);
      if (node && mode === 'create') throw systemError('EEXIST', 'open', path);
      if (!node && (mode === 'read' || mode === 'append')) throw systemError('ENOENT', 'open', path);
      if (!node) {
        const empty = new Uint8Array(0);
        node = {
          kind: 'file',
          inode: nextInode++,
          mode: permissions,
          modifiedMs: now(),
          content: empty,
          durable: empty,
          pending: [],
          lock: [],
        };
        setEntry(path, node);
      }
      return handle(path, node);
    },
    stat(path) {
      enter('stat', path);
      const directory = directories.get(path);
      if (directory) {
        return {
          kind: 'directory',
          size: 0,
          device: 1n,
          inode: 0n,
          links: 2,
          mode: directory.mode,
          uid: process.getuid?.() ?? 0,
          modifiedMs: directory.modifiedMs,
        };
      }
      const node = directories.get(dirname(path))?.entries.get(nameOf(path));
      return node && statOf(node);
    },
    readDirectory(path) {
      enter('readDirectory', path);
      const directory = directories.get(path);
      if (!directory) throw systemError('ENOENT', 'scandir', path);
      const found: DirectoryEntry[] = [...directory.entries.keys()].map((name) => ({ name, kind: 'file' }));
      for (const other of directories.keys()) {
        if (other !== '/' && dirname(other) === path) found.push({ name: nameOf(other), kind: 'directory' });
      }
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    makeDirectory(path, permissions = 0o700) {
      enter('makeDirectory', path);
      for (let step = path, missing: string[] = []; ; step = dirname(step)) {
        if (!directories.has(step)) {
          missing = [step, ...missing];
          continue;
        }
        for (const each of missing) {
          const made = newDirectory(each, false);
          made.mode = permissions;
          directories.set(each, made);
        }
        break;
      }
    },
    rename(from, to) {
      enter('rename', from);
      if (directories.has(from)) {
        renameDirectory(from, to);
        return;
      }
      const node = find(from, 'rename');
      directoryOf(to, 'rename').entries.set(nameOf(to), node);
      directoryOf(from, 'rename').entries.delete(nameOf(from));
      entryChanges.push({
        kind: 'set',
        directory: dirname(to),
        name: nameOf(to),
        node,
        also: { directory: dirname(from), name: nameOf(from) },
      });
    },
    link(from, to) {
      enter('link', from);
      const node = find(from, 'link');
      if (directoryOf(to, 'link').entries.has(nameOf(to))) throw systemError('EEXIST', 'link', to);
      setEntry(to, node);
    },
    unlink(path) {
      enter('unlink', path);
      find(path, 'unlink');
      setEntry(path, undefined);
    },
    removeDirectory(path) {
      enter('removeDirectory', path);
      const directory = directories.get(path);
      if (!directory) throw systemError('ENOENT', 'rmdir', path);
      const isUsed =
        directory.entries.size > 0 ||
        [...directories.keys()].some((other) => other !== path && dirname(other) === path);
      if (isUsed) throw systemError('ENOTEMPTY', 'rmdir', path);
      directories.delete(path);
    },
    changeMode(path, permissions) {
      enter('changeMode', path);
      const directory = directories.get(path);
      if (directory) directory.mode = permissions;
      else find(path, 'chmod').mode = permissions;
    },
    async syncDirectory(path) {
      const born = generation;
      enter('syncDirectory', path);
      const directory = directories.get(path);
      if (!directory) throw systemError('ENOENT', 'fsync', path);
      await null;
      if (born !== generation) throw new MachineDied('syncDirectory');
      // A rename is durable when either of its directories is: journalling file systems write both halves at once.
      const touches = (change: EntryChange): boolean => change.directory === path || change.also?.directory === path;
      for (const change of entryChanges.filter(touches)) applyEntry(change);
      entryChanges = entryChanges.filter((change) => !touches(change));
      directory.isDurable = true;
      for (const other of directories.values()) if (dirname(other.path) === path) other.isDurable = true;
    },
    realPath: (path) => path,
    space(): DiskSpace {
      return { freeBytes: disk.capacityBytes - usedBytes(), totalBytes: disk.capacityBytes, type: 0xef53 };
    },
    get isDead() {
      return isDead;
    },
    mount() {
      const born = generation;
      const mounted: Record<string, unknown> = {};
      for (const name of PORT) {
        mounted[name] = (...given: never[]) => {
          if (born !== generation) throw new MachineDied(name);
          return (disk[name] as (...given: never[]) => unknown)(...given);
        };
      }
      return mounted as unknown as FileSystem;
    },
    kill() {
      generation++;
      isDead = false;
      for (const directory of directories.values()) for (const node of directory.entries.values()) node.lock = [];
    },
    crash(random) {
      generation++;
      isDead = false;
      const nodes = new Set<FileNode>();
      for (const directory of directories.values()) {
        for (const node of directory.entries.values()) nodes.add(node);
        for (const node of directory.durable.values()) nodes.add(node);
      }
      for (const { node } of entryChanges) if (node) nodes.add(node);
      for (const node of nodes) {
        node.durable = survivingContent(node, random);
        node.content = node.durable;
        node.pending = [];
        node.lock = [];
      }
      // Either a journal of names that ends somewhere, or any subset of them.
      const inOrder = random() < 0.7;
      const kept = Math.floor(random() * (entryChanges.length + 1));
      entryChanges.forEach((change, index) => {
        if (inOrder ? index < kept : random() < 0.5) applyEntry(change);
      });
      entryChanges = [];
      for (const [path, directory] of directories) {
        directory.entries = new Map(directory.durable);
        if (!directory.isDurable && directory.entries.size === 0 && random() < 0.5) directories.delete(path);
      }
      for (const path of [...directories.keys()]) {
        if (path !== '/' && !directories.has(dirname(path))) directories.delete(path);
      }
    },
    files() {
      const all = new Map<string, Uint8Array>();
      for (const directory of directories.values()) {
        for (const [name, node] of directory.entries)
          all.set(`${directory.path === '/' ? '' : directory.path}/${name}`, node.content);
      }
      return all;
    },
  };
  return disk;

  /** Names of directories are durable at once: the lab is about what stands in them. */
  function renameDirectory(from: string, to: string): void {
    if (directories.has(to)) throw systemError('ENOTEMPTY', 'rename', to);
    const moved = (path: string): string =>
      path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path;
    for (const [path, directory] of [...directories]) {
      if (moved(path) === path) continue;
      directories.delete(path);
      directories.set(moved(path), Object.assign(directory, { path: moved(path) }));
    }
    entryChanges = entryChanges.map((change) => ({
      ...change,
      directory: moved(change.directory),
      ...(change.also && { also: { ...change.also, directory: moved(change.also.directory) } }),
    }));
  }

  function applyEntry(change: EntryChange): void {
    const directory = directories.get(change.directory);
    if (!directory) return;
    if (change.node) directory.durable.set(change.name, change.node);
    else directory.durable.delete(change.name);
    if (change.node) directory.isDurable = true;
    if (change.also) directories.get(change.also.directory)?.durable.delete(change.also.name);
  }
}

function joined(content: Uint8Array, bytes: Uint8Array, position: number): Uint8Array {
  const result = new Uint8Array(Math.max(content.length, position + bytes.length));
  result.set(content);
  result.set(bytes, position);
  return result;
}

function resized(content: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(length);
  result.set(content.subarray(0, length));
  return result;
}

/** The device after a sync: what was written before it, and nothing that came while it ran. */
function apply(durable: Uint8Array, changes: readonly Change[], seen: Uint8Array): Uint8Array {
  let result = durable;
  for (const change of changes) {
    result =
      change.kind === 'truncate' ? resized(result, change.length) : joined(result, change.bytes, change.position);
  }
  return result.length === seen.length ? seen : result;
}

/** One of the contents that the device may hold when the machine dies with changes unsynced. */
function survivingContent(node: FileNode, random: () => number): Uint8Array {
  const choice = random();
  if (node.pending.length === 0) return node.durable;
  if (choice < 0.15) return node.durable;
  if (choice < 0.3) return node.content;
  let result = node.durable;
  // The length is journalled by itself: it may be there before the bytes are, which then read as zeros.
  const steps = Math.floor(random() * (node.pending.length + 1));
  for (const change of node.pending.slice(0, steps)) {
    if (change.kind === 'truncate') {
      if (random() < 0.7) result = resized(result, change.length);
      continue;
    }
    result = survivingWrite(result, change, random);
  }
  const torn = node.pending[steps];
  if (torn?.kind === 'write') {
    const prefix = Math.floor(random() * (torn.bytes.length + 1));
    result = joined(result, torn.bytes.subarray(0, prefix), torn.position);
  }
  return result;
}

function survivingWrite(content: Uint8Array, change: Change & { kind: 'write' }, random: () => number): Uint8Array {
  const choice = random();
  if (choice < 0.4) return joined(content, change.bytes, change.position);
  const zeros = new Uint8Array(change.bytes.length);
  if (choice < 0.55) return joined(content, zeros, change.position);
  const sectors = zeros;
  const end = change.position + change.bytes.length;
  for (let sector = change.position - (change.position % SECTOR_BYTES); sector < end; sector += SECTOR_BYTES) {
    if (random() < 0.5) continue;
    const from = Math.max(0, sector - change.position);
    const to = Math.min(change.bytes.length, sector + SECTOR_BYTES - change.position);
    sectors.set(change.bytes.subarray(from, to), from);
  }
  return joined(content, sectors, change.position);
}
