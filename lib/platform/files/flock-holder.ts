// Which process holds the `flock` of a file, by the table of the kernel. Locks that ollm takes are of another kind and
// do not meet those. Only Linux has such a table; elsewhere no holder is found.
import { readFileSync } from 'node:fs';
import type { FileStat } from './file-system.ts';

/** The id of the process; 0 for one that cannot be seen from here. Undefined if none holds it. */
export function flockHolder({ device, inode }: Pick<FileStat, 'device' | 'inode'>): number | undefined {
  const place = `${hex(majorOf(device))}:${hex(minorOf(device))}:${inode}`;
  // 19: FLOCK  ADVISORY  WRITE 29370 fe:00:2581886 0 EOF
  const line = new RegExp(`^\\d+: FLOCK .* (-?\\d+) ${place} `, 'm').exec(table());
  return line === null ? undefined : Math.max(Number(line[1]), 0);
}

function table(): string {
  if (process.platform !== 'linux') return '';
  try {
    return readFileSync('/proc/locks', 'utf8');
  } catch {
    // It is hidden.
    return '';
  }
}

function majorOf(device: bigint): bigint {
  return ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
}

function minorOf(device: bigint): bigint {
  return (device & 0xffn) | ((device >> 12n) & ~0xffn & 0xffffffffn);
}

function hex(number: bigint): string {
  return number.toString(16).padStart(2, '0');
}
