// The one text that says whether a path is as it was: it changes with the path's file, and with the names in a
// directory. A directory is read through links to it, so the stamp of a link has its target and the target's stamp.
import type { FileSystem } from '../files/file-system.ts';
import { isSettled } from '../files/settled.ts';

interface PathStamp {
  /** Equal stamps mean that nothing changed, as far as `isCertain` says. */
  readonly text: string;
  /**
   * False where another change may leave the same stamp: the last one was shortly before `atMs`, or later. Without
   * `atMs` this is not asked for.
   */
  readonly isCertain: boolean;
}

/**
 * Never throws.
 *
 * @example
 * stampAt('/home/me/.claude/projects', { fileSystem, atMs: clock.now() }).text; // '2049 1311 4096 1790…'
 */
export function stampAt(
  path: string,
  at: { readonly fileSystem: Pick<FileSystem, 'stat' | 'realPath'>; readonly atMs?: number | undefined },
): PathStamp {
  try {
    const stat = at.fileSystem.stat(path);
    if (stat === undefined) return ABSENT;
    const { kind, device, inode, size, changedNs } = stat;
    const text = `${device} ${inode} ${size} ${changedNs}`;
    const isCertain = at.atMs !== undefined && changedNs !== undefined && isSettled({ changedNs }, at.atMs);
    if (kind !== 'link') return { text, isCertain };
    const target = at.fileSystem.realPath(path);
    const there = stampAt(target, at);
    return { text: `${text} ${target} ${there.text}`, isCertain: isCertain && there.isCertain };
  } catch {
    return UNREADABLE;
  }
}

const ABSENT: PathStamp = { text: 'absent', isCertain: true };
const UNREADABLE: PathStamp = { text: 'unreadable', isCertain: true };
