// Directories that hold more than one project, or none: the root of the disk, the user's home and those above it, and
// ollm's own. A program started there by chance must not take the whole directory for its project.
import { dirname } from 'node:path';
import { isInside } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from './home-directory.ts';

/** The description of such a directory for a sentence; undefined if it may be a project. `path`: absolute. */
export function whyNoProject(app: Pick<App, 'env' | 'fileSystem' | 'paths'>, path: string): string | undefined {
  const { fileSystem, paths } = app;
  const real = (place: string) => realPathOf(fileSystem, place) ?? place;
  return noProject(real(path), { homeDirectory: real(homeDirectoryOf(app)), home: real(paths.home) });
}

/** For a path with its links resolved. */
export function noProject(
  path: string,
  { homeDirectory, home }: { readonly homeDirectory: string; readonly home: string },
): string | undefined {
  if (path === homeDirectory) return 'your home directory';
  if (dirname(path) === path) return 'the root of the disk';
  if (isInside(path, homeDirectory)) return 'a directory above your home';
  return isInside(home, path) ? 'the directory in which ollm keeps its own files' : undefined;
}
