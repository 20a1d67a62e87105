// All directories that are one project by git: a repository and its worktrees, and its clones, which a session that
// works in one names by its remote. A directory counts as a worktree where it and the repository name each other, and
// the project of a clone does not include the directory that it names as its origin: a repository can be copied
// from anywhere, and its files may name any directory. The remote of a clone is read when its sessions are indexed: it
// holds after a move.
import { basename, dirname, join, resolve } from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { namesIn, realPathOf } from '../../platform/files/io.ts';
import { gitDirectoryOf, gitState, nameOfOrigin } from './git-state.ts';
import { readTextFile } from './read-text-file.ts';

export interface ProjectReach {
  /** The directory, and the roots of the other worktrees of its repository. */
  readonly roots: readonly string[];
  /** The name by which its clones are known: its remote, else that of its repository as an origin. */
  readonly remote?: string | undefined;
}

const MAX_BYTES = 64 * 1024;

/**
 * The project of a directory, absolute. One that is not the root of a repository is a project of its own.
 *
 * @example
 * reachOfProject(fileSystem, '/home/me/shop'); // { roots: ['/home/me/shop', '/home/me/shop-fix'], remote: … }
 */
export function reachOfProject(fileSystem: FileSystem, directory: string): ProjectReach {
  const git = gitState(fileSystem, directory);
  if (git?.root !== directory) return { roots: [directory] };
  const worktrees = worktreesOf(fileSystem, directory);
  // Clones of this machine name the repository that they were made of, which has no remote itself.
  const [main = directory] = worktrees;
  return { roots: [...new Set([directory, ...worktrees])], remote: git.remote ?? nameOfOrigin(main) };
}

/** The root that has the repository comes first: clones of a worktree name it too. */
function worktreesOf(fileSystem: FileSystem, root: string): readonly string[] {
  const read = (path: string) => readTextFile(fileSystem, path, MAX_BYTES)?.trim();
  const real = (path: string) => realPathOf(fileSystem, path);
  /** Where the files of the repository are that a root names. */
  const filesOf = (folder: string) => real(gitDirectoryOf(folder, fileSystem, read));
  /** Where the `.git` is that those files name. */
  const namedBy = (files: string) => {
    const back = read(join(files, 'gitdir'));
    return back === undefined ? undefined : real(resolve(files, back));
  };
  const own = filesOf(root);
  if (own === undefined) return [];
  const commonPath = read(join(own, 'commondir'));
  const common = commonPath === undefined ? own : real(resolve(own, commonPath));
  if (common === undefined) return [];
  // A directory that the repository does not know says nothing about it: its files, or a link, may name any other one.
  const isMain = common === own;
  if (!isMain && own !== join(common, 'worktrees', basename(own))) return [];
  if ((isMain ? own : namedBy(own)) !== join(real(root) ?? root, '.git')) return [];
  const main = dirname(common);
  const linked = namesIn(fileSystem, join(common, 'worktrees')).flatMap((name) => {
    const files = join(common, 'worktrees', name);
    const named = real(files) === files ? namedBy(files) : undefined;
    const folder = named === undefined ? undefined : dirname(named);
    return folder !== undefined && filesOf(folder) === files ? [folder] : [];
  });
  return filesOf(main) === common ? [main, ...linked] : linked;
}
