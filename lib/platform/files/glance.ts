// What is looked at of a file to see whether it is the one that it was, as four numbers in a row: who looks at ten thousand
// files makes no ten thousand objects. The same numbers whether they come from here or from `FileSystem.glance`.
import type { FileStat } from './file-system.ts';

/** Numbers of one glance: inode, bytes, changed, modified; the times in milliseconds since 1970. */
export const GLANCE_LENGTH = 4;

/** Into `target`, from `at` on. False where there is no regular file with one name. */
export function glanceOf(stat: FileStat | undefined, target: Float64Array, at: number): boolean {
  if (stat?.kind !== 'file' || stat.links !== 1) return false;
  target[at] = Number(stat.inode);
  target[at + 1] = stat.size;
  target[at + 2] = millisecondsOf(stat.changedNs);
  target[at + 3] = stat.modifiedMs;
  return true;
}

/** Put together as Node does it. A quarter of a microsecond is all that the number has room for. NaN if it is not known. */
export function millisecondsOf(nanoseconds: bigint | undefined): number {
  if (nanoseconds === undefined) return Number.NaN;
  return Number(nanoseconds / 1_000_000_000n) * 1000 + Number(nanoseconds % 1_000_000_000n) / 1e6;
}
