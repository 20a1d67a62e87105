// Which files git tracks, read from its index: a repository can name programs that git itself would run, so git is not
// asked. Versions 2 to 4 are understood (git's Documentation/gitformat-index.txt); an index in another form, one that
// is split, or one that is damaged counts as none.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { parentOf } from './paths.ts';

export interface TrackedFiles {
  /** Whether this file is tracked. */
  has(path: string): boolean;
  /** Whether a tracked file is in this directory, or below it. */
  holds(directory: string): boolean;
  /** Equal paths have the same fingerprint. */
  fingerprint(): string;
}

/** An index of this size has about three million entries. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size, before the object's hash. */
const STAT_BYTES = 40;
const EXTENDED_FLAG = 0x4000;

/** `hashBytes`: 20, or 32 in a repository of SHA-256. Undefined without a readable index. */
export function readTracked(indexFile: string, hashBytes: 20 | 32 = 20): TrackedFiles | undefined {
  try {
    const stat = statSync(indexFile, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_INDEX_BYTES) return undefined;
    const paths = pathsOf(readFileSync(indexFile), hashBytes);
    return paths && trackedFiles(paths);
  } catch {
    return undefined;
  }
}

function trackedFiles(paths: readonly string[]): TrackedFiles {
  const files = new Set(paths);
  const directories = new Set<string>();
  for (const path of paths) {
    for (let above = parentOf(path); above !== '' && !directories.has(above); above = parentOf(above)) {
      directories.add(above);
    }
  }
  return {
    has: (path) => files.has(path),
    holds: (directory) => directories.has(directory),
    fingerprint: () => createHash('sha256').update(paths.join('\0')).digest('hex'),
  };
}

/** Undefined if the bytes are not an index of a known version, or hold only a part of it. */
function pathsOf(bytes: Buffer, hashBytes: number): string[] | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const paths: string[] = [];
  let path: Buffer = Buffer.alloc(0);
  let position = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = position;
    const flagsAt = start + STAT_BYTES + hashBytes;
    position = flagsAt + (bytes.readUInt16BE(flagsAt) & EXTENDED_FLAG ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const removed = variableInteger(bytes, position);
      kept = path.length - removed.value;
      position = removed.end;
    }
    const end = bytes.indexOf(0, position);
    if (end < 0 || kept < 0) return undefined;
    const own = bytes.subarray(position, end);
    path = kept === 0 ? own : Buffer.concat([path.subarray(0, kept), own]);
    paths.push(path.toString());
    // Before version 4 an entry is padded with 1 to 8 NUL bytes to a multiple of eight.
    position = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8;
  }
  return isSplit(bytes, position, hashBytes) ? undefined : paths;
}

/** Seven bits a byte, the highest first, each continued byte worth one more (as in git's packs). */
function variableInteger(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let position = start;
  let byte = bytes.readUInt8(position++);
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes.readUInt8(position++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end: position };
}

/**
 * Extensions follow the entries: a name of four letters, a length, as many bytes. `link`: the rest is in another file.
 */
function isSplit(bytes: Buffer, entriesEnd: number, hashBytes: number): boolean {
  let position = entriesEnd;
  while (position + 8 <= bytes.length - hashBytes) {
    if (bytes.toString('latin1', position, position + 4) === 'link') return true;
    position += 8 + bytes.readUInt32BE(position + 4);
  }
  return false;
}
