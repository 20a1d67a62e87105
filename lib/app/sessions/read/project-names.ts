// Which directories are one project in the numbers of all sessions: the worktrees and clones of a repository, and a
// directory with its remote that is not here any more, or is on another machine. It has the name of the directory with
// the most sessions. A directory inside of a repository stays a project of its own.
import { win32 } from 'node:path';
import type { CountedSession } from '../../../catalog/counted.ts';
import { isThere } from '../../../hub/find-sources.ts';
import type { FileSystem } from '../../../platform/files/file-system.ts';
import { reachOfProject } from '../../repository/project-reach.ts';

/**
 * By a directory, the one that names its project.
 *
 * @example
 * projectNames(fileSystem, sessions).get('/home/me/shop-fix'); // '/home/me/shop'
 */
export function projectNames(
  fileSystem: FileSystem,
  sessions: readonly Pick<CountedSession, 'project' | 'remote'>[],
): ReadonlyMap<string, string> {
  // Paths of both systems are absolute on Windows, which another machine may have.
  const byDirectory = Map.groupBy(
    sessions.filter(({ project }) => project !== null && win32.isAbsolute(project)),
    ({ project }) => project!,
  );
  const names = new Map<string, string>();
  const byCount = [...byDirectory].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));
  for (const [directory] of byCount) {
    if (names.has(directory)) continue;
    const { roots, remote } = reachOfProject(fileSystem, directory);
    // A directory below a root may belong to a root that has fewer sessions.
    if (remote === undefined && roots.length === 1) continue;
    for (const root of roots) if (!names.has(root)) names.set(root, directory);
    for (const [other, those] of byCount) {
      if (names.has(other) || those.every((session) => session.remote !== remote)) continue;
      const isClone = reachOfProject(fileSystem, other).remote === remote;
      if (isClone || !isThere(fileSystem, other)) names.set(other, directory);
    }
  }
  return names;
}
