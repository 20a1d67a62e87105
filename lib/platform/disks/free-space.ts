// Whether a disk has room enough to begin something that must be written to its end. Pure.
import type { DiskSpace } from '../files/file-system.ts';

type SpaceVerdict = 'enough' | 'low' | 'too little';

const MEBIBYTE = 1024 * 1024;
const LOW_BYTES = 64 * MEBIBYTE;
const LOW_SHARE = 0.01;
/** What one turn may take: a line of the greatest length. */
export const NEEDED_BYTES = 16 * MEBIBYTE;

/** A file system that does not state its size has `enough`: its other numbers mean as little. */
export function judgeSpace({ freeBytes, totalBytes }: DiskSpace): SpaceVerdict {
  if (!(totalBytes > 0)) return 'enough';
  if (freeBytes < NEEDED_BYTES) return 'too little';
  return freeBytes < Math.max(LOW_BYTES, totalBytes * LOW_SHARE) ? 'low' : 'enough';
}
