// The one text that says whether a path is as it was: it changes with the path's file, and with the names in a
// directory. A directory is read through links to it, so the stamp of a link has its target and the target's stamp.
import type { FileSystem } from '../files/file-system.ts';
import { isSettled } from '../files/settled.ts';

interface PathStamp {
  /** Equal stamps mean that nothing changed, as far as `isCertain` says. */
  readonly text: string;
  /** False where another change may leave the same stamp: the last one was shortly before `atMs`, or later. */
  readonly isCertain: boolean;
}

type Links = Pick<FileSystem, 'stat' | 'realPath'>;

/**
 * The text of the stamp of now. Never throws.
 *
 * @example
 * stampOf('/home/me/.claude/projects', fileSystem); // '2049 1311 4096 1790…'
 */
export function stampOf(path: string, fileSystem: Links, onFound?: (changedNs: bigint | undefined) => void): string {
  try {
    const stat = fileSystem.stat(path);
    if (stat === undefined) return 'absent';
    const { device, inode, size, changedNs } = stat;
    const text = `${device} ${inode} ${size} ${changedNs}`;
    onFound?.(changedNs);
    if (stat.kind !== 'link') return text;
    const target = fileSystem.realPath(path);
    return `${text} ${target} ${stampOf(target, fileSystem, onFound)}`;
  } catch {
    return 'unreadable';
  }
}

/** The stamp of now, and whether a later change has another one. Never throws. */
export function stampAt(
  path: string,
  { fileSystem, atMs }: { readonly fileSystem: Links; readonly atMs: number },
): PathStamp {
  let isCertain = true;
  const text = stampOf(path, fileSystem, (changedNs) => {
    isCertain &&= changedNs !== undefined && isSettled({ changedNs }, atMs);
  });
  return { text, isCertain };
}
