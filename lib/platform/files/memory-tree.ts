// The tree of a disk in memory: files, directories, links and other kinds of nodes, and the resolution of paths. A file
// and a directory also keep their content on the device, for a power cut.
import { sep } from 'node:path';
import type { Clock } from '../clock.ts';
import type { FileStat, OpenMode } from './file-system.ts';
import { systemError } from './io.ts';

interface Common {
  readonly inode: bigint;
  mode: number;
  modifiedMs: number;
  links: number;
}
export interface FileNode extends Common {
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
export type Node = FileNode | DirectoryNode | LinkNode | OtherNode;

const DEVICE = 1n;
const MAX_LINKS_FOLLOWED = 40;
const SEPARATOR = sep === '/' ? '/' : /[\\/]/;
export const MAY_READ = 0o400;
const MAY_WRITE = 0o200;
const REFUSED = { directory: 'EISDIR', link: 'ELOOP', other: 'ENXIO' } as const;

/** The node at a path, and its directory. */
interface Located {
  readonly parent: DirectoryNode;
  readonly name: string;
  readonly node: Node | undefined;
}

export class MemoryTree {
  readonly root: DirectoryNode;
  readonly #clock: Clock;
  readonly #uid: number;
  #nextInode = 1n;

  constructor(clock: Clock, uid: number) {
    this.#clock = clock;
    this.#uid = uid;
    this.root = this.newDirectory(0o755);
  }

  newDirectory(mode: number): DirectoryNode {
    return { kind: 'directory', ...this.#common(mode), entries: new Map(), syncedEntries: new Map() };
  }

  newFile(mode: number): FileNode {
    const content = { buffer: new Uint8Array(0), size: 0, syncedSize: 0, syncedBytes: undefined };
    return { kind: 'file', ...this.#common(mode), ...content, locks: new Map() };
  }

  newLink(target: string): Node {
    return { kind: 'link', ...this.#common(0o777), target };
  }

  newOther(): Node {
    return { kind: 'other', ...this.#common(0o600) };
  }

  #common(mode: number): Common {
    return { inode: this.#nextInode++, mode, modifiedMs: this.#clock.now(), links: 1 };
  }

  /** A link in the last place is not followed. */
  locate(path: string, syscall: string): Located {
    const steps = stepsOf(path);
    const name = steps.pop();
    if (name === undefined) return { parent: this.root, name: '', node: this.root };
    const parent = this.directoryAt(steps, path, syscall);
    return { parent, name, node: parent.entries.get(name) };
  }

  existing(path: string, syscall: string): Located & { readonly node: Node } {
    const { parent, name, node } = this.locate(path, syscall);
    if (node === undefined) throw systemError('ENOENT', syscall, path);
    return { parent, name, node };
  }

  directoryAt(steps: readonly string[], path: string, syscall: string): DirectoryNode {
    const { node } = this.walk(steps, path, syscall);
    if (node.kind !== 'directory') throw systemError('ENOTDIR', syscall, path);
    return node;
  }

  /** The node at the end of `steps`, with all links followed, and its path without links. */
  walk(steps: readonly string[], path: string, syscall: string): { node: Node; real: readonly string[] } {
    const left = [...steps];
    const real: string[] = [];
    let node: Node = this.root;
    let followed = 0;
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      if (node.kind !== 'directory') throw systemError('ENOTDIR', syscall, path);
      const found: Node | undefined = node.entries.get(step);
      if (found === undefined) throw systemError('ENOENT', syscall, path);
      if (found.kind === 'link') {
        followed += 1;
        if (followed > MAX_LINKS_FOLLOWED) throw systemError('ELOOP', syscall, path);
        left.unshift(...stepsOf(found.target, real.splice(0)));
        node = this.root;
      } else {
        real.push(step);
        node = found;
      }
    }
    return { node, real };
  }

  #requireWritable(parent: DirectoryNode, path: string, syscall: string): void {
    if ((parent.mode & MAY_WRITE) === 0) throw systemError('EACCES', syscall, path);
  }

  change(parent: DirectoryNode, path: string, syscall: string, apply: (entries: Map<string, Node>) => void): void {
    this.#requireWritable(parent, path, syscall);
    apply(parent.entries);
    parent.modifiedMs = this.#clock.now();
  }

  add(path: string, syscall: string, make: () => Node): void {
    const { parent, name, node } = this.locate(path, syscall);
    if (node !== undefined) throw systemError('EEXIST', syscall, path);
    this.change(parent, path, syscall, (entries) => entries.set(name, make()));
  }

  /** The file at a path, as the mode allows; made where the mode makes one. */
  fileToOpen(path: string, mode: OpenMode, permissions: number): FileNode {
    const { parent, name, node } = this.locate(path, 'open');
    if (node !== undefined) {
      if (mode === 'create') throw systemError('EEXIST', 'open', path);
      if (node.kind !== 'file') throw systemError(REFUSED[node.kind], 'open', path);
      const needed = mode === 'read' ? MAY_READ : MAY_READ | MAY_WRITE;
      if ((node.mode & needed) !== needed) throw systemError('EACCES', 'open', path);
      return node;
    }
    if (mode === 'read' || mode === 'append') throw systemError('ENOENT', 'open', path);
    const created = this.newFile(permissions);
    this.change(parent, path, 'open', (entries) => entries.set(name, created));
    return created;
  }

  makeDirectory(path: string, permissions: number): void {
    const steps = stepsOf(path);
    for (const [index, step] of steps.entries()) {
      const parent = this.directoryAt(steps.slice(0, index), path, 'mkdir');
      if (!parent.entries.has(step)) {
        this.change(parent, path, 'mkdir', (entries) => entries.set(step, this.newDirectory(permissions)));
      }
    }
    if (this.walk(steps, path, 'mkdir').node.kind !== 'directory') throw systemError('EEXIST', 'mkdir', path);
  }

  rename(from: string, to: string): void {
    const source = this.existing(from, 'rename');
    const target = this.locate(to, 'rename');
    if (source.node === target.node) return;
    if (target.node?.kind === 'directory') {
      if (source.node.kind !== 'directory') throw systemError('EISDIR', 'rename', from);
      if (target.node.entries.size > 0) throw systemError('ENOTEMPTY', 'rename', from);
    } else if (target.node !== undefined && source.node.kind === 'directory') {
      throw systemError('ENOTDIR', 'rename', from);
    }
    this.#requireWritable(target.parent, to, 'rename');
    this.change(source.parent, from, 'rename', (entries) => entries.delete(source.name));
    this.change(target.parent, to, 'rename', (entries) => entries.set(target.name, source.node));
    if (target.node !== undefined) target.node.links -= 1;
  }

  statOf(node: Node): FileStat {
    const { kind, inode, links, mode, modifiedMs } = node;
    const size = node.kind === 'file' ? node.size : 0;
    // The clock of this disk ticks once a millisecond, as that of some real ones does.
    const changedNs = BigInt(modifiedMs) * 1_000_000n;
    return { kind, size, device: DEVICE, inode, links, mode, uid: this.#uid, modifiedMs, changedNs };
  }

  /** Drops unsynced content as the options say. */
  forget(lost: { readonly entries: boolean; readonly content: boolean }): void {
    forgetIn(this.root, lost);
    countNames(this.root);
  }
}

/** The names in a path, seen from `base`; `.` and `..` are resolved before any link is. */
export function stepsOf(path: string, base: readonly string[] = []): string[] {
  const steps = path.startsWith('/') ? [] : [...base];
  for (const step of path.split(SEPARATOR)) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps;
}

function forgetIn(directory: DirectoryNode, lost: { readonly entries: boolean; readonly content: boolean }): void {
  if (lost.entries) directory.entries = new Map(directory.syncedEntries);
  for (const node of directory.entries.values()) {
    if (node.kind === 'directory') forgetIn(node, lost);
    if (node.kind === 'file' && lost.content) forgetContent(node);
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
