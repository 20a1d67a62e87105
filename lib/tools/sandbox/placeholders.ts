// Holds empty places, so that a program inside a sandbox cannot create something there: a mount needs an existing
// target. A placeholder is an empty file or directory that no process may write, and is recognised by its mode, so that
// a placeholder that a crash left counts as nothing and is removed after the next run. Several runs, also of several
// processes, share one; the last to end removes it. A placeholder that is no longer empty is never removed.
import { systemErrorCode } from '../../errors/index.ts';
import type { FileStat, FileSystem } from '../../platform/files/file-system.ts';
import { ToolFailure } from '../tool.ts';
import type { TypedPath } from './scope-paths.ts';

export interface Placeholders {
  /** Whether `path` is a placeholder of our own, and so counts as nothing. */
  isPlaceholder(path: string): boolean;
  /** Holds the places, as far as anything could be made there, until `release` is called. */
  hold(paths: readonly TypedPath[]): HeldPlaces;
}

interface HeldPlaces {
  readonly paths: readonly string[];
  release(): void;
}

/** No other program makes an empty file or directory that no process may write, with the sticky bit. */
const MODES = { file: 0o1444, directory: 0o1555 } as const;
const CANNOT_BE_MADE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR']);

export function createPlaceholders(
  fileSystem: FileSystem,
  mountPointsElsewhere: () => ReadonlySet<string>,
): Placeholders {
  const holders = new Map<string, number>();

  /** Undefined too where nothing can be: below a file, or where we may not look. */
  const statOf = (path: string): FileStat | undefined => {
    try {
      return fileSystem.stat(path);
    } catch (error) {
      if (CANNOT_BE_MADE.has(systemErrorCode(error) ?? '')) return undefined;
      throw error;
    }
  };

  const isPlaceholder = (path: string): boolean => {
    const stat = statOf(path);
    if (stat?.kind === 'file') return stat.mode === MODES.file && stat.size === 0;
    return stat?.kind === 'directory' && stat.mode === MODES.directory && fileSystem.readDirectory(path).length === 0;
  };

  /** Whether the place is held now. If we may create nothing there, neither may a program that we start. */
  const make = ({ path, kind }: TypedPath): boolean => {
    if (statOf(path) !== undefined) throw takenMeanwhile(path);
    try {
      if (kind === 'file') fileSystem.open(path, 'create', 0o444).close();
      else fileSystem.makeDirectory(path, 0o555);
      if (kind === 'directory' && fileSystem.readDirectory(path).length > 0) throw takenMeanwhile(path);
      fileSystem.changeMode(path, MODES[kind]);
      return true;
    } catch (error) {
      const code = systemErrorCode(error);
      if (code !== undefined && CANNOT_BE_MADE.has(code)) return false;
      // A concurrent run may have been quicker.
      if (code === 'EEXIST' && isPlaceholder(path)) return true;
      throw code === 'EEXIST' ? takenMeanwhile(path) : error;
    }
  };

  /** It stays where it cannot be removed now: it counts as nothing, and the next run tries again. */
  const remove = (path: string): void => {
    try {
      if (!isPlaceholder(path)) return;
      if (statOf(path)?.kind === 'file') fileSystem.unlink(path);
      else fileSystem.removeDirectory(path);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
    }
  };

  const release = (paths: readonly string[]): void => {
    const unheld = paths.filter((path) => {
      const others = (holders.get(path) ?? 1) - 1;
      if (others === 0) holders.delete(path);
      else holders.set(path, others);
      return others === 0;
    });
    if (unheld.length === 0) return;
    // Removed, it would vanish from under the mount in the other sandbox too.
    const used = mountPointsElsewhere();
    for (const path of unheld) if (!used.has(path)) remove(path);
  };

  return {
    isPlaceholder,
    hold(paths) {
      const held: string[] = [];
      const releaseAll = () => release(held.splice(0));
      try {
        for (const each of paths) {
          if (!isPlaceholder(each.path) && !make(each)) continue;
          holders.set(each.path, (holders.get(each.path) ?? 0) + 1);
          held.push(each.path);
        }
      } catch (error) {
        releaseAll();
        throw error;
      }
      return { paths: [...held], release: releaseAll };
    },
  };
}

function takenMeanwhile(path: string): ToolFailure {
  return new ToolFailure(`${path} came to be at this moment, so it could not be kept from the program. Try again.`);
}
