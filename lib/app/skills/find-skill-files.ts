// The SKILL.md files below one directory of a program: a bounded walk. Each directory is entered once by its real path,
// so that links in a circle end; the places of a repository must be inside of it, with links followed.
import { basename, join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { DirectoryEntry, FileSystem } from '../../platform/files/file-system.ts';
import { isInside } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { SkillDirectory } from './agent-skill.ts';

const SKILL_FILE = 'SKILL.md';

export interface FoundSkillFile {
  /** As the program finds it. */
  readonly path: string;
  /** The name of the directory that it is in. */
  readonly folder: string;
  /** Whether the SKILL.md is in the directory that was looked into, and not in one below. */
  readonly isTop: boolean;
}

interface FoundSkillFiles {
  readonly files: readonly FoundSkillFile[];
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
}

interface FindOptions {
  /** How many levels below the directory: 1 is `NAME/SKILL.md`. */
  readonly depth: number;
  /** Whether a SKILL.md of the directory itself counts. */
  readonly withTop: boolean;
}

const MOST_DIRECTORIES = 2_000;
const MOST_ENTRIES = 20_000;

export function findSkillFiles(
  fileSystem: FileSystem,
  directory: SkillDirectory,
  { depth, withTop }: FindOptions,
): FoundSkillFiles {
  const files: FoundSkillFile[] = [];
  const problems: { path: string; reason: string }[] = [];
  const within = directory.within && realPathOf(fileSystem, directory.within);
  const seen = new Set<string>();
  const waiting: { readonly path: string; readonly level: number }[] = [];
  let entriesLeft = MOST_ENTRIES;
  let isCut = false;
  const enter = (path: string, level: number): void => {
    const real = realPathOf(fileSystem, path);
    if (real === undefined || seen.has(real)) return;
    if (seen.size >= MOST_DIRECTORIES) {
      isCut = true;
      return;
    }
    if (within !== undefined && !isInside(within, real)) {
      problems.push({ path, reason: `is a link that leads out of ${directory.within}` });
      return;
    }
    seen.add(real);
    waiting.push({ path, level });
  };
  enter(directory.path, 0);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, level } = next;
    const entries = entriesOf(path);
    if (entries.length > entriesLeft) isCut = true;
    const taken = entries.slice(0, entriesLeft);
    entriesLeft -= taken.length;
    for (const { name, kind } of taken) {
      const at = join(path, name);
      if (name === SKILL_FILE && (level > 0 || withTop)) {
        files.push({ path: at, folder: basename(path), isTop: level === 0 });
      } else if (level < depth && !name.startsWith('.') && (kind === 'directory' || leadsToDirectory(at, kind))) {
        enter(at, level + 1);
      }
    }
  }
  if (isCut) problems.push({ path: directory.path, reason: 'holds too much: the rest of it was not looked into' });
  return { files, problems };

  function entriesOf(path: string): readonly DirectoryEntry[] {
    try {
      return fileSystem.readDirectory(path);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      // A file in its place, or a directory that has just vanished, has no skills.
      if (code !== 'ENOTDIR' && code !== 'ENOENT') problems.push({ path, reason: `cannot be read (${code})` });
      return [];
    }
  }

  function leadsToDirectory(path: string, kind: DirectoryEntry['kind']): boolean {
    if (kind !== 'link') return false;
    const real = realPathOf(fileSystem, path);
    return real !== undefined && fileSystem.stat(real)?.kind === 'directory';
  }
}
