// How far git reaches that is started in a directory of the project: whether its repository may make it start something
// or read outside, and which places outside of the project belong to the repository. A repository can be copied with
// whatever its author wrote into `.git`, so a place outside counts only where it names the project itself.
import { dirname, join, resolve } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { isInside, upwards } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { riskInGitConfiguration } from '../../tools/git-configuration.ts';
import { gitDirectoryOf } from './git-state.ts';
import { readTextFile } from './read-text-file.ts';

const MAX_BYTES = 1024 * 1024;

interface GitReach {
  /** Why git is not started there without a question; undefined where nothing speaks against it. */
  readonly risk?: string;
  /** The root of the repository, where one exists. */
  readonly top?: string;
  /** Directories outside of the project that hold a part of its repository: those of a worktree or a submodule. */
  readonly outside: readonly string[];
}

const UNREADABLE = 'its repository cannot be read';
const NOTHING: GitReach = { outside: [] };
const risky = (risk: string): GitReach => ({ risk, outside: [] });

/**
 * Looked at again for each call: it may have changed. What cannot be read is a risk.
 *
 * @example
 * gitReach(fileSystem, '/home/me/shop', { project: '/home/me/shop' }); // { top: '/home/me/shop', outside: [] }
 */
export function gitReach(
  fileSystem: FileSystem,
  directory: string,
  { project }: { readonly project: string },
): GitReach {
  try {
    const root = fileSystem.realPath(project);
    for (const folder of upwards(fileSystem.realPath(directory))) {
      if (fileSystem.stat(join(folder, '.git')) !== undefined)
        return isInside(root, folder)
          ? reachOf(fileSystem, folder, root)
          : risky('the repository is that of a directory above the project');
      if (posesAsRepository(fileSystem, folder)) return risky('the directory itself looks like a repository');
    }
    return NOTHING;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return risky(UNREADABLE);
  }
}

/** git takes a directory with these three for a repository without files. */
function posesAsRepository(fileSystem: FileSystem, folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => fileSystem.stat(join(folder, name)) !== undefined);
}

function reachOf(fileSystem: FileSystem, top: string, project: string): GitReach {
  const read = (path: string) => readTextFile(fileSystem, path, MAX_BYTES);
  const directory = realPathOf(
    fileSystem,
    gitDirectoryOf(top, fileSystem, (path) => read(path)?.trim()),
  );
  const common =
    directory && realPathOf(fileSystem, resolve(directory, read(join(directory, 'commondir'))?.trim() ?? '.'));
  if (directory === undefined || common === undefined) return risky(UNREADABLE);
  const real = (path: string) => realPathOf(fileSystem, path) ?? path;
  const isTop = (path: string, from: string) => real(resolve(from, path)) === top;
  let namesTop = false;
  for (const file of [join(common, 'config'), join(directory, 'config.worktree')]) {
    if (fileSystem.stat(file) === undefined) continue;
    const text = read(file);
    if (text === undefined) return risky('its configuration cannot be read');
    const risk = riskInGitConfiguration(text, (name, value) => {
      if (name !== 'core.worktree' || !isTop(value, directory)) return false;
      namesTop = true;
      return true;
    });
    // The words are those of the repository, and a user reads them.
    if (risk !== undefined)
      return risky(`its configuration sets ${/^[\w.-]+$/.test(risk) ? risk : 'a name of its own'}`);
  }
  const objects = join(common, 'objects');
  const others = (read(join(objects, 'info', 'alternates')) ?? '').split('\n').filter((line) => /^[^#\s]/.test(line));
  if (others.some((path) => path.startsWith('"') || !isInside(project, real(resolve(objects, path)))))
    return risky('it takes objects from another repository');
  const outside = [...new Set([directory, common])].filter((path) => !isInside(project, path));
  if (outside.length === 0) return { top, outside };
  // A file that the project could have written proves nothing.
  if (isInside(project, directory)) return risky('it takes branches and objects from another repository');
  const back = read(join(directory, 'gitdir'))?.trim();
  namesTop ||= back !== undefined && isTop(dirname(resolve(directory, back)), directory);
  return namesTop ? { top, outside } : risky('its files are outside of the project, and do not name it');
}
