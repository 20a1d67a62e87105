// `ollm sync`: what the sessions say, brought into the catalogue, so that it can be searched.
import { platform } from 'node:os';
import { join } from 'node:path';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { OllmError } from '../../errors/index.ts';
import { ownSessions } from '../../hub/own-sessions.ts';
import type { SessionPlace } from '../../hub/sources.ts';
import { type SyncOptions, type SyncOutcome, syncCatalog } from '../../hub/sync.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../home-directory.ts';

export interface SyncRequest extends Pick<SyncOptions, 'signal' | 'budgetMs' | 'onProgress'> {
  /** Whether only the sessions of this store are looked at, which takes a moment. */
  readonly ownOnly?: boolean | undefined;
}

/** Never fails because of one session, nor because the catalogue cannot be used: the outcome says so. */
export async function syncSessions(app: App, { ownOnly = false, ...request }: SyncRequest = {}): Promise<SyncOutcome> {
  const { catalog, paths, fileSystem, clock, config } = app;
  const redact = await app.redactor();
  return syncCatalog({
    ...request,
    catalog,
    home: paths.home,
    fileSystem,
    clock,
    places: await sessionPlaces(app, ownOnly),
    storesText: !config.retention.encryptAtRest || config.catalog.indexEncrypted,
    outputs: config.retention.storeToolOutputs,
    clean: (text) => redact(text).text,
  });
}

/** The one list of where sessions come from. */
async function sessionPlaces(app: App, ownOnly: boolean): Promise<readonly SessionPlace[]> {
  const { store, fileSystem, paths, config, env, process } = app;
  const own = ownSessions({
    store,
    fileSystem,
    directory: paths.sessions,
    indexEncrypted: config.catalog.indexEncrypted,
    hasKeyFile: config.retention.keyFile !== undefined,
  });
  if (ownOnly) return [own];
  const { foreignSessions } = await import('../../hub/foreign-sessions.ts');
  const surroundings = { env, home: homeDirectoryOf(app), platform: platform() };
  return [own, ...(await foreignSessions({ surroundings, fileSystem, uid: process.uid }))];
}

/** `reason`: as in `CatalogOutcome`. */
export function unusableCatalog({ paths }: App, reason: string): OllmError {
  return new OllmError('IO_FAILED', `The catalogue ${reason}.`, {
    hint: `It is ${join(paths.home, CATALOG_NAME)}, and may be removed: "ollm sync" makes it again.`,
  });
}
