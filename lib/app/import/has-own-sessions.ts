// Whether the catalogue has the sessions of this store, so that a search need not bring it up to date.
import { isUpToDate } from '../../hub/is-up-to-date.ts';
import type { App } from '../app.ts';
import { sessionPlaces } from './sync-sessions.ts';

/** Whether it has all of them as they are, and no process brings it up to date. Never fails. */
export async function hasOwnSessions(app: App): Promise<boolean> {
  const { catalog, paths, fileSystem, config } = app;
  const { encryptAtRest, storeToolOutputs: outputs } = config.retention;
  if (encryptAtRest && !config.catalog.indexEncrypted) return false;
  const [place] = await sessionPlaces(app, { only: 'own' });
  return place !== undefined && isUpToDate({ catalog, home: paths.home, fileSystem, outputs, place });
}
