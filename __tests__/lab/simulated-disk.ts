// A disk that forgets, tears and fails, with the port lib/platform/files/file-system.ts. Deterministic: the same
// random numbers give the same disk.
//
// It remembers, for each file, the content of the device and every write and truncation since the last sync that came
// back; for each directory, its names in the same way. `crash` ends all processes and picks one of the states that the
// device may be left in: each change is there, missing, there in part (a prefix, any sectors of 512 bytes), or only the
// length of it, over zeros, old bytes or bytes of another file. Nothing orders files among each other, nor a file and
// its name. Two things are taken for granted, because every journalling file system gives them: a rename happens or
// does not, and names that were synced once do not come loose. A sync that fails leaves the pages clean: the unsaved
// bytes can still be read, and no later sync saves them.
import type {
  DirectoryEntry,
  FileHandle,
  FileStat,
  FileSystem,
  OpenMode,
} from '../../lib/platform/files/file-system.ts';
import { type SystemErrorCode, systemError } from '../../lib/platform/files/io.ts';
import type { Random } from './random.ts';

export const SECTOR_BYTES = 512;
const BLOCK_BYTES = 4096;

export const OPERATIONS = [
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
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What goes wrong, and at which call of its kind (from 1), counted from when the fault was planted. */
export interface Fault {
  readonly operation: Operation | 'any';
  readonly at: number;
  /** An error of the system; fewer bytes than asked for; or the death of the process that calls, or of the machine. */
  readonly error: SystemErrorCode | 'short' | 'kill' | 'crash';
  /** From then on every call of the kind fails. */
  readonly forGood?: boolean | undefined;
  /** The work is done, and the caller never learns of it. */
  readonly after?: boolean | undefined;
}

/** Thrown out of a call when the process or the machine dies in it. Nothing of the program may run on. */
export class Died extends Error {
  constructor(operation: string) {
    super(`the program died in ${operation}`);
    this.name = 'Died';
  }
}

export interface SimulatedProcess {
  /** The disk as this process sees it: once it is dead, no call of it reaches the disk any more. */
  readonly fileSystem: FileSystem;
  readonly isAlive: boolean;
  /** Ends it without notice: its handles and locks are gone, its writes stay in the page cache. */
  kill(): void;
}

export interface SimulatedDisk {
  /** Bytes that all files together may have. */
  capacityBytes: number;
  /** How many planted faults have struck. */
  readonly struck: number;
  /** Whether a planted fault ended the machine, and `crash` was not called yet. */
  readonly isDead: boolean;
  start(): SimulatedProcess;
  fault(fault: Fault): void;
  /** Takes all faults away. */
  heal(): void;
  /** While suspended, no fault strikes or comes nearer. Returns how it was before. */
  suspend(suspended: boolean): boolean;
  /** Ends the machine and picks the rest. */
  crash(random: Random): void;
  /** What a crash now would leave, as a disk of its own; this one goes on. */
  crashed(random: Random): SimulatedDisk;
  /** All files as programs see them now. */
  files(): ReadonlyMap<string, Uint8Array>;
  /** Changes that no sync has saved: a crash may undo them. */
  readonly unsynced: number;
}

export interface SimulatedDiskOptions {
  readonly now?: () => number;
  readonly capacityBytes?: number;
  /** Decides in which order syncs come back. Default: in the order of the calls. */
  readonly wait?: (label: string) => Promise<unknown>;
  /** Decides how much of a short, killed or failed call is done. */
  readonly random?: Random;
}

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

interface FileNode {
  readonly kind: 'file';
  readonly inode: bigint;
  mode: number;
  modifiedMs: number;
  links: number;
  content: Uint8Array;
  durable: Uint8Array;
  /** Since the last sync that came back, oldest first. */
  pending: Change[];
  locks: { readonly holder: object; readonly isShared: boolean }[];
}

interface DirectoryNode {
  readonly kind: 'directory';
  readonly inode: bigint;
  mode: number;
  modifiedMs: number;
  entries: Map<string, Node>;
  durable: Map<string, Node>;
}

type Node = FileNode | DirectoryNode;

/** A name that came, changed or went. */
interface NameChange {
  readonly directory: DirectoryNode;
  readonly name: string;
  readonly node: Node | undefined;
  /** The other half of a rename: both happen, or neither. */
  readonly from?: { readonly directory: DirectoryNode; readonly name: string };
}

interface ProcessState {
  isAlive: boolean;
}

export function simulatedDisk(options: SimulatedDiskOptions = {}): SimulatedDisk {
  const root = newDirectory(1n, 0);
  const home = newDirectory(2n, 0);
  root.entries.set('home', home);
  root.durable.set('home', home);
  return diskOf(root, 3n, [], [], options);
}

function newDirectory(inode: bigint, modifiedMs: number): DirectoryNode {
  return { kind: 'directory', inode, mode: 0o700, modifiedMs, entries: new Map(), durable: new Map() };
}

function diskOf(
  root: DirectoryNode,
  firstInode: bigint,
  firstChanges: NameChange[],
  /** Bytes that files once held and gave back: what a block may hold that was given out and never written. */
  stale: Uint8Array[],
  options: SimulatedDiskOptions,
): SimulatedDisk {
  const { now = () => 0, wait = async () => {}, random = () => 0.5 } = options;
  let nextInode = firstInode;
  let changes = firstChanges;
  let processes: ProcessState[] = [];
  let faults: (Fault & { seen: number })[] = [];
  let struck = 0;
  let isDead = false;
  let isSuspended = false;

  const disk: SimulatedDisk = {
    capacityBytes: options.capacityBytes ?? Number.MAX_SAFE_INTEGER,
    get struck() {
      return struck;
    },
    get isDead() {
      return isDead;
    },
    get unsynced() {
      let count = changes.length;
      for (const node of filesIn(root)) count += node.pending.length;
      return count;
    },
    start() {
      const state: ProcessState = { isAlive: true };
      processes.push(state);
      return {
        fileSystem: mounted(state),
        get isAlive() {
          return state.isAlive && !isDead;
        },
        kill: () => end(state),
      };
    },
    fault(fault) {
      faults.push({ ...fault, seen: 0 });
    },
    heal() {
      faults = [];
    },
    suspend(suspended) {
      const before = isSuspended;
      isSuspended = suspended;
      return before;
    },
    crash(pick) {
      for (const state of processes) state.isAlive = false;
      processes = [];
      isDead = false;
      const inOrder = pick() < 0.5;
      const kept = inOrder ? Math.floor(pick() * (changes.length + 1)) : changes.length;
      // Either a journal of names that ends somewhere, or any of them.
      for (const change of changes.slice(0, kept)) if (inOrder || pick() < 0.5) makeDurable(change);
      changes = [];
      forget(root, pick);
    },
    crashed(pick) {
      const copies = new Map<Node, Node>();
      const copied = copyOf(root, copies);
      const names = changes.map(({ directory, name, node, from }): NameChange => {
        const other = from && { directory: copyOf(from.directory, copies), name: from.name };
        return {
          directory: copyOf(directory, copies),
          name,
          node: node && copyOf(node, copies),
          ...(other && { from: other }),
        };
      });
      const { wait: _, ...rest } = options;
      const other = diskOf(copied, nextInode, names, [...stale], { ...rest, random: pick });
      other.crash(pick);
      return other;
    },
    files() {
      const all = new Map<string, Uint8Array>();
      const visit = (directory: DirectoryNode, path: string): void => {
        for (const [name, node] of directory.entries) {
          if (node.kind === 'file') all.set(`${path}/${name}`, node.content);
          else visit(node, `${path}/${name}`);
        }
      };
      visit(root, '');
      return all;
    },
  };
  return disk;

  function end(state: ProcessState): void {
    state.isAlive = false;
    for (const node of filesIn(root)) {
      if (node.locks.length > 0) node.locks = node.locks.filter(({ holder }) => ownerOf.get(holder) !== state);
    }
  }

  /** The rest of a directory and all below it. */
  function forget(directory: DirectoryNode, pick: Random): void {
    directory.entries = new Map(directory.durable);
    for (const node of directory.entries.values()) {
      if (node.kind === 'directory') {
        forget(node, pick);
        continue;
      }
      if (node.pending.length > 0) node.durable = survivor(node, pick);
      node.content = node.durable;
      node.pending = [];
      node.locks = [];
      node.links = 1;
    }
  }

  function survivor(node: FileNode, pick: Random): Uint8Array {
    return survivingContent(node, pick, stale);
  }

  function makeDurable({ directory, name, node, from }: NameChange): void {
    if (from && from.directory.durable.get(from.name) === node) from.directory.durable.delete(from.name);
    if (node) directory.durable.set(name, node);
    else directory.durable.delete(name);
  }

  /**
   * Counts the call, fails it if a planted fault says so, and says how it is to be done otherwise: `short` in part, and
   * `after` with an error once it is done. `isMark`: a call that no fault strikes.
   */
  function enter(
    state: ProcessState,
    operation: Operation,
    path: string,
    isMark = false,
  ): { isShort: boolean; after: () => void } {
    if (isDead || !state.isAlive) throw new Died(operation);
    let isShort = false;
    let after = () => {};
    for (const fault of isSuspended || isMark ? [] : faults) {
      if (fault.operation !== 'any' && fault.operation !== operation) continue;
      fault.seen++;
      if (fault.seen !== fault.at && !(fault.forGood && fault.seen > fault.at)) continue;
      if (fault.error === 'short') {
        if (operation !== 'write' && operation !== 'read') continue;
        isShort = true;
        struck++;
        continue;
      }
      struck++;
      const fail = (): never => {
        if (fault.error === 'crash') isDead = true;
        if (fault.error === 'kill') end(state);
        if (fault.error === 'crash' || fault.error === 'kill') throw new Died(operation);
        throw systemError(fault.error as SystemErrorCode, operation, path);
      };
      if (!fault.after) fail();
      after = fail;
    }
    return { isShort, after };
  }

  function lookUp(path: string): Node | undefined {
    let node: Node | undefined = root;
    for (const name of path.split('/')) {
      if (name === '') continue;
      node = node?.kind === 'directory' ? node.entries.get(name) : undefined;
    }
    return node;
  }

  function parentOf(path: string, syscall: string): { directory: DirectoryNode; name: string } {
    const slash = path.lastIndexOf('/');
    const directory = lookUp(path.slice(0, slash));
    if (directory?.kind !== 'directory') throw systemError('ENOENT', syscall, path);
    return { directory, name: path.slice(slash + 1) };
  }

  function setName(directory: DirectoryNode, name: string, node: Node | undefined, from?: NameChange['from']): void {
    const before = directory.entries.get(name);
    if (before?.kind === 'file') {
      before.links--;
      if (before.links === 0) remember(before.content);
    }
    if (node) directory.entries.set(name, node);
    else directory.entries.delete(name);
    if (from) from.directory.entries.delete(from.name);
    else if (node?.kind === 'file') node.links++;
    directory.modifiedMs = now();
    changes.push({ directory, name, node, ...(from && { from }) });
  }

  function remember(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    stale.push(bytes.subarray(0, 8 * SECTOR_BYTES));
    if (stale.length > 8) stale.shift();
  }

  function usedBytes(): number {
    let used = 0;
    for (const { content } of filesIn(root)) used += content.length;
    return used;
  }

  function mounted(state: ProcessState): FileSystem {
    /** Does something that may fail before, or after. */
    const call = <Result>(operation: Operation, path: string, action: () => Result): Result => {
      const { after } = enter(state, operation, path);
      const result = action();
      after();
      return result;
    };
    return {
      open: (path, mode, permissions = 0o600) =>
        call('open', path, () => handleOf(state, path, opened(path, mode, permissions))),
      stat: (path) =>
        call('stat', path, () => {
          const node = lookUp(path);
          return node && statOf(node);
        }),
      readDirectory: (path) =>
        call('readDirectory', path, () => {
          const directory = lookUp(path);
          if (!directory) throw systemError('ENOENT', 'scandir', path);
          if (directory.kind !== 'directory') throw systemError('ENOTDIR', 'scandir', path);
          return [...directory.entries]
            .map(([name, { kind }]): DirectoryEntry => ({ name, kind }))
            .sort((a, b) => (a.name < b.name ? -1 : 1));
        }),
      readNames(path) {
        return this.readDirectory(path).map(({ name }) => name);
      },
      makeDirectory: (path, permissions = 0o700) =>
        call('makeDirectory', path, () => {
          let above = root;
          for (const name of path.split('/').filter((part) => part !== '')) {
            let node = above.entries.get(name);
            if (node?.kind === 'file') throw systemError('ENOTDIR', 'mkdir', path);
            if (!node) {
              node = newDirectory(nextInode++, now());
              node.mode = permissions;
              setName(above, name, node);
            }
            above = node;
          }
        }),
      rename: (from, to) =>
        call('rename', from, () => {
          const source = parentOf(from, 'rename');
          const node = source.directory.entries.get(source.name);
          if (!node) throw systemError('ENOENT', 'rename', from);
          const target = parentOf(to, 'rename');
          const there = target.directory.entries.get(target.name);
          if (there === node) return;
          if (there && there.kind !== node.kind) {
            throw systemError(there.kind === 'directory' ? 'EISDIR' : 'ENOTDIR', 'rename', to);
          }
          if (there?.kind === 'directory' && there.entries.size > 0) throw systemError('ENOTEMPTY', 'rename', to);
          setName(target.directory, target.name, node, source);
        }),
      link: (from, to) =>
        call('link', from, () => {
          const node = lookUp(from);
          if (node?.kind !== 'file') throw systemError(node ? 'EPERM' : 'ENOENT', 'link', from);
          const { directory, name } = parentOf(to, 'link');
          if (directory.entries.has(name)) throw systemError('EEXIST', 'link', to);
          setName(directory, name, node);
        }),
      unlink: (path) =>
        call('unlink', path, () => {
          const { directory, name } = parentOf(path, 'unlink');
          const node = directory.entries.get(name);
          if (node?.kind !== 'file') throw systemError(node ? 'EISDIR' : 'ENOENT', 'unlink', path);
          setName(directory, name, undefined);
        }),
      removeDirectory: (path) =>
        call('removeDirectory', path, () => {
          const { directory, name } = parentOf(path, 'rmdir');
          const node = directory.entries.get(name);
          if (node?.kind !== 'directory') throw systemError(node ? 'ENOTDIR' : 'ENOENT', 'rmdir', path);
          if (node.entries.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
          setName(directory, name, undefined);
        }),
      changeMode: (path, permissions) =>
        call('changeMode', path, () => {
          const node = lookUp(path);
          if (!node) throw systemError('ENOENT', 'chmod', path);
          node.mode = permissions;
        }),
      async syncDirectory(path) {
        const { after } = enter(state, 'syncDirectory', path);
        const directory = lookUp(path);
        if (directory?.kind !== 'directory') throw systemError(directory ? 'ENOTDIR' : 'ENOENT', 'fsync', path);
        const last = changes.at(-1);
        await wait(`syncDirectory ${path}`);
        if (isDead || !state.isAlive) throw new Died('syncDirectory');
        saveNames(directory, last);
        after();
      },
      realPath: (path) => path,
      space: () => ({
        freeBytes: Math.max(0, disk.capacityBytes - usedBytes()),
        totalBytes: disk.capacityBytes,
        type: 0xef53,
      }),
    };
  }

  /** Names in the directory up to a change are on the device, and their sources with them. */
  function saveNames(directory: DirectoryNode, last: NameChange | undefined): void {
    const end = last === undefined ? 0 : changes.indexOf(last) + 1;
    const nodes = new Set<Node>();
    const saved = new Set<NameChange>();
    for (const change of changes.slice(0, end).reverse()) {
      const touches = change.directory === directory || change.from?.directory === directory;
      if (!touches && !(change.node && nodes.has(change.node))) continue;
      saved.add(change);
      if (change.node) nodes.add(change.node);
    }
    for (const change of changes) if (saved.has(change)) makeDurable(change);
    changes = changes.filter((change) => !saved.has(change));
  }

  function opened(path: string, mode: OpenMode, permissions: number): FileNode {
    const { directory, name } = parentOf(path, 'open');
    const node = directory.entries.get(name);
    if (node?.kind === 'directory') throw systemError('EISDIR', 'open', path);
    if (node && mode === 'create') throw systemError('EEXIST', 'open', path);
    if (node) return node;
    if (mode === 'read' || mode === 'append') throw systemError('ENOENT', 'open', path);
    const empty = new Uint8Array(0);
    const made: FileNode = {
      kind: 'file',
      inode: nextInode++,
      mode: permissions,
      modifiedMs: now(),
      links: 0,
      content: empty,
      durable: empty,
      pending: [],
      locks: [],
    };
    setName(directory, name, made);
    return made;
  }

  function handleOf(state: ProcessState, path: string, node: FileNode): FileHandle {
    let isOpen = true;
    const me = {};
    ownerOf.set(me, state);
    const use = (operation: Operation, isMark?: boolean) => {
      if (isDead || !state.isAlive) throw new Died(operation);
      if (!isOpen) throw systemError('EBADF', operation, path);
      return enter(state, operation, path, isMark);
    };
    const append = (bytes: Uint8Array): void => {
      if (bytes.length === 0) return;
      const position = node.content.length;
      node.content = joined(node.content, bytes, position);
      node.pending.push({ kind: 'write', position, bytes });
      node.modifiedMs = now();
    };
    const save = async (operation: 'sync' | 'dataSync'): Promise<void> => {
      const last = node.pending.at(-1);
      let after = () => {};
      let failure: unknown;
      try {
        ({ after } = use(operation));
      } catch (error) {
        if (error instanceof Died) throw error;
        failure = error;
      }
      await wait(`${operation} ${path}`);
      if (isDead || !state.isAlive) throw new Died(operation);
      const saved = node.pending.splice(0, last === undefined ? 0 : node.pending.indexOf(last) + 1);
      if (failure === undefined) node.durable = saved.reduce(applied, node.durable);
      else {
        // The pages are clean now, although not all of them, or none, has reached the device.
        if (random() < 0.3) node.durable = survivingContent({ ...node, pending: saved }, random, []);
        throw failure;
      }
      after();
    };
    return {
      path,
      write(bytes) {
        const { isShort, after } = use('write');
        const free = disk.capacityBytes - usedBytes();
        if (free <= 0 && bytes.length > 0) throw systemError('ENOSPC', 'write', path);
        const wanted = isShort ? Math.max(1, Math.floor(random() * bytes.length)) : bytes.length;
        // A copy: the writer uses its memory again.
        const written = new Uint8Array(bytes.subarray(0, Math.min(wanted, free)));
        append(written);
        try {
          after();
        } catch (error) {
          // A process that dies in a write has written some of it, and so has one whose write failed.
          if (random() < 0.5) {
            const kept = Math.floor(random() * written.length);
            const change = node.pending.at(-1);
            if (change?.kind === 'write' && written.length > 0) {
              node.pending.pop();
              node.content = resized(node.content, change.position);
              append(written.subarray(0, kept));
            }
          }
          throw error;
        }
        return written.length;
      },
      read(target, position) {
        const { isShort, after } = use('read');
        const wanted = isShort ? Math.max(1, Math.floor(random() * target.length)) : target.length;
        const bytes = node.content.subarray(position, position + wanted);
        target.set(bytes);
        after();
        return bytes.length;
      },
      stat() {
        const { after } = use('stat');
        after();
        return statOf(node);
      },
      truncate(length) {
        // A lock file that gets a length is the mark that a sync failed. That it cannot be set at the same moment is a
        // case that docs/reliability.md names among those that are not covered.
        const { after } = use('truncate', path.endsWith('.lock') && length > 0);
        // Only whole blocks are given back; the part after the end in the last one is zeroed.
        remember(node.content.subarray(Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES));
        node.content = resized(node.content, length);
        node.pending.push({ kind: 'truncate', length });
        node.modifiedMs = now();
        after();
      },
      sync: () => save('sync'),
      dataSync: () => save('dataSync'),
      tryLock(mode = 'exclusive') {
        const { after } = use('lock');
        const others = node.locks.filter(({ holder }) => holder !== me);
        if (others.some(({ isShared }) => mode === 'exclusive' || !isShared)) return false;
        node.locks = [...others, { holder: me, isShared: mode === 'shared' }];
        after();
        return true;
      },
      close() {
        isOpen = false;
        node.locks = node.locks.filter(({ holder }) => holder !== me);
      },
      [Symbol.dispose]() {
        this.close();
      },
    };
  }
}

/** Whose a handle is, for the locks that die with their process. */
const ownerOf = new WeakMap<object, ProcessState>();

function* filesIn(directory: DirectoryNode): Generator<FileNode> {
  for (const node of directory.entries.values()) {
    if (node.kind === 'file') yield node;
    else yield* filesIn(node);
  }
}

function statOf(node: Node): FileStat {
  const { kind, inode, mode, modifiedMs } = node;
  const [size, links] = kind === 'file' ? [node.content.length, node.links] : [0, 2];
  return { kind, size, device: 1n, inode, links, mode, uid: process.getuid?.() ?? 0, modifiedMs };
}

/** A copy of a node and all below it; bytes are never changed in place, so they are shared. */
function copyOf<Some extends Node>(node: Some, copies: Map<Node, Node>): Some {
  const done = copies.get(node);
  if (done) return done as Some;
  if (node.kind === 'file') {
    const copy: FileNode = { ...node, pending: [...node.pending], locks: [] };
    copies.set(node, copy);
    return copy as Some;
  }
  const copy: DirectoryNode = { ...node, entries: new Map(), durable: new Map() };
  copies.set(node, copy);
  for (const [name, each] of node.entries) copy.entries.set(name, copyOf(each, copies));
  for (const [name, each] of node.durable) copy.durable.set(name, copyOf(each, copies));
  return copy as Some;
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

function applied(content: Uint8Array, change: Change): Uint8Array {
  return change.kind === 'truncate' ? resized(content, change.length) : joined(content, change.bytes, change.position);
}

/** A content that the device may have when the machine dies with changes unsynced. */
function survivingContent(
  { durable, content, pending }: Pick<FileNode, 'durable' | 'content' | 'pending'>,
  pick: Random,
  stale: readonly Uint8Array[],
): Uint8Array {
  const choice = pick();
  if (choice < 0.15) return durable;
  // All of it, unless a sync failed before: what that lost stays lost.
  if (choice < 0.3) return pending.reduce(applied, durable);
  if (choice < 0.55) {
    const whole = Math.floor(pick() * pending.length);
    const torn = pending[whole];
    const before = pending.slice(0, whole).reduce(applied, durable);
    if (torn?.kind !== 'write') return before;
    return joined(before, torn.bytes.subarray(0, Math.floor(pick() * (torn.bytes.length + 1))), torn.position);
  }
  let result = durable;
  for (const change of pending) {
    const fate = pick();
    if (fate < 0.2) continue;
    if (change.kind === 'truncate' || fate < 0.6) result = applied(result, change);
    else result = survivingSectors(result, change, pick, stale);
  }
  return result.length > content.length && pick() < 0.5 ? resized(result, content.length) : result;
}

/** The length is there; of the sectors, any may be missing, with the earlier bytes in their place. */
function survivingSectors(
  content: Uint8Array,
  { position, bytes }: Change & { kind: 'write' },
  pick: Random,
  stale: readonly Uint8Array[],
): Uint8Array {
  const end = position + bytes.length;
  const result = resized(content, Math.max(content.length, end));
  const arrives = pick() < 0.3 ? 0 : 0.5;
  const old = pick() < 0.2 ? stale[Math.floor(pick() * stale.length)] : undefined;
  for (let sector = position - (position % SECTOR_BYTES); sector < end; sector += SECTOR_BYTES) {
    const from = Math.max(position, sector);
    const to = Math.min(end, sector + SECTOR_BYTES);
    if (pick() < arrives) result.set(bytes.subarray(from - position, to - position), from);
    else if (old && from >= content.length) result.set(old.subarray(from - sector, to - sector), from);
  }
  return result;
}
