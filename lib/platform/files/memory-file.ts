// An open file of a disk in memory: writes, reads and locks through one handle.
import type { Clock } from '../clock.ts';
import type { FileHandle, FileStat, OpenMode } from './file-system.ts';
import { type SystemErrorCode, systemError } from './io.ts';
import type { FileNode } from './memory-tree.ts';

interface OpenedMemoryFile {
  readonly path: string;
  readonly mode: OpenMode;
  readonly clock: Clock;
  stat(): FileStat;
  /** Called when it is closed. */
  onClose(handle: FileHandle): void;
}

export function openMemoryFile(node: FileNode, { path, mode, clock, stat, onClose }: OpenedMemoryFile): FileHandle {
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
      return stat();
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
      onClose(handle);
    },
    [Symbol.dispose]: () => handle.close(),
  };
  return handle;
}

/** Room for `length` bytes; doubled, so that appending costs the same however much there is. */
function reserve(node: FileNode, length: number): void {
  if (length <= node.buffer.length) return;
  const larger = new Uint8Array(Math.max(length, node.buffer.length * 2, 4096));
  larger.set(node.buffer.subarray(0, node.size));
  node.buffer = larger;
}
