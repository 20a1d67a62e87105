// What finding and reading sessions of other programs takes, from what a run of this one was given.
import type { ForeignPorts } from '../hub/find-sources.ts';
import type { App } from './app.ts';
import { homeDirectoryOf } from './home-directory.ts';

export function foreignPorts(app: Pick<App, 'env' | 'fileSystem' | 'process'>): ForeignPorts {
  const { env, fileSystem, process: self } = app;
  return {
    surroundings: { env, home: homeDirectoryOf(app), platform: process.platform },
    files: { fileSystem, uid: self.uid },
  };
}
