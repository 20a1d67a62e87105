// The texts of a project for the parts that search them: without ollm's own files, where they lie in it. The modules
// that find files are loaded when files are first asked for.
import type { ProjectFiles } from '../../discovery/types.ts';
import { isInside } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { once } from '../../platform/once.ts';
import type { App } from '../app.ts';
import { discoverySettings } from './discovery-settings.ts';

interface ProjectFilesRequest {
  /** Default: the project of the current directory. */
  readonly root?: string | undefined;
  /** Characters of text that are kept in memory between two questions. */
  readonly maxKeptCharacters?: number | undefined;
}

export function projectFiles(app: App, { root = app.paths.project, maxKeptCharacters }: ProjectFilesRequest = {}) {
  const { home, sessions, log, history } = app.paths;
  const real = (path: string): string => realPathOf(app.fileSystem, path) ?? path;
  const files = once(async () => {
    const { createProjectFiles } = await import('../../discovery/index.ts');
    // A home that is the project itself holds more than ollm's files.
    const without = [home, sessions, log, history].map(real).filter((path) => !isInside(path, real(root)));
    return createProjectFiles({ root, without, maxKeptCharacters, ...(await discoverySettings(app)) });
  });
  let listed: ProjectFiles | undefined;
  return {
    root,
    async list(options) {
      listed = await files();
      return listed.list(options);
    },
    read: async (path) => (await files()).read(path),
    stampOf: (path) => listed?.stampOf?.(path),
  } satisfies ProjectFiles;
}
