// What finding and reading sessions of other programs takes, from what a run of this one was given.
import type { ForeignPorts } from '../hub/find-sources.ts';
import type { App } from './app.ts';
import { homeDirectoryOf } from './home-directory.ts';

export function foreignPorts(app: Pick<App, 'env' | 'fileSystem' | 'process' | 'config'>): ForeignPorts {
  const { env, fileSystem, process: self } = app;
  const { homes } = app.config.hub;
  return {
    surroundings: { env, home: homeDirectoryOf(app), platform: process.platform },
    homes,
    files: { fileSystem, uid: self.uid, othersMayOwn: homes },
  };
}
