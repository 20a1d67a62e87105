// What finding and reading sessions of other programs takes, from what a run of this one was given.
import { isAbsolute } from 'node:path';
import type { ForeignPorts } from '../../hub/find-sources.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from './home-directory.ts';

/** The latest ones. */
const MAX_PROJECTS = 1000;
const PROJECTS =
  'SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY project ORDER BY max(last_activity) DESC LIMIT ?';

type Given = Pick<App, 'env' | 'fileSystem' | 'process' | 'config'> & Partial<Pick<App, 'catalog' | 'paths'>>;

export function foreignPorts(app: Given): ForeignPorts {
  const { env, fileSystem, process: self } = app;
  const { homes } = app.config.hub;
  return {
    surroundings: { env, home: homeDirectoryOf(app), platform: process.platform },
    homes,
    projects: () => projectsOf(app),
    files: { fileSystem, uid: self.uid, othersMayOwn: homes },
  };
}

/** The project of the current directory, and all that the catalogue has of any program. */
async function projectsOf({ catalog, paths }: Given): Promise<readonly string[]> {
  const asked = await catalog?.ask((database) => database.prepare(PROJECTS).all(MAX_PROJECTS));
  const known = asked?.kind === 'done' ? asked.value.map(({ project }) => String(project)) : [];
  return [...new Set([...(paths === undefined ? [] : [paths.project]), ...known])].filter((path) => isAbsolute(path));
}
