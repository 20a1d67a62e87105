// `ollm sync`: brings the texts of sessions into the catalogue, so that they can be searched.

import { join, resolve } from 'node:path';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { adviceOn } from '../../catalog/why-unusable.ts';
import { OllmError } from '../../errors/index.ts';
import { ownSessions } from '../../hub/own-sessions.ts';
import { placeOfFile } from '../../hub/place-of-file.ts';
import type { SessionPlace } from '../../hub/sources.ts';
import { type SyncOptions, type SyncOutcome, syncCatalog } from '../../hub/sync.ts';
import type { App } from '../app.ts';
import { placeOf } from '../journals/place.ts';
import { erasePassages } from '../list/erase-passages.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

interface SyncRequest extends Pick<SyncOptions, 'signal' | 'budgetMs' | 'onProgress'> {
  /** Whether only the sessions of this store are looked at, which takes a moment. */
  readonly ownOnly?: boolean | undefined;
  /** Only the sessions in this file are looked at. */
  readonly path?: string | undefined;
}

/**
 * Never fails because of one session, nor because the catalogue cannot be used: the outcome says so.
 * @throws OllmError SESSION_NOT_FOUND: no session is kept at `path`
 */
export async function syncSessions(
  app: App,
  { ownOnly = false, path, ...request }: SyncRequest = {},
): Promise<SyncOutcome> {
  const { catalog, paths, fileSystem, clock, config } = app;
  const redact = await app.redactor();
  const storesText = !config.retention.encryptAtRest || config.catalog.indexEncrypted;
  const outcome = await syncCatalog({
    ...request,
    catalog,
    home: paths.home,
    fileSystem,
    clock,
    places: path === undefined ? await sessionPlaces(app, ownOnly) : [await placeAt(app, resolve(app.cwd, path))],
    storesText,
    outputs: config.retention.storeToolOutputs,
    clean: (text) => redact(text).text,
    onErased: async (sessions) => void (await erasePassages(app, sessions)),
  });
  // Text that the catalogue must not hold, passages must not either.
  if (!storesText) await erasePassages(app);
  return outcome;
}

async function placeAt(app: App, path: string): Promise<SessionPlace> {
  const place = await placeOfFile(path, await sessionPlaces(app, false), app.fileSystem);
  if (place !== undefined) return place;
  throw new OllmError('SESSION_NOT_FOUND', `${path} is not a file in which a program keeps its sessions.`, {
    hint: '"ollm agents" shows where they are looked for; "ollm import --file PATH" takes a transcript from anywhere.',
    data: { path },
  });
}

/** The one list of where sessions come from. */
async function sessionPlaces(app: App, ownOnly: boolean): Promise<readonly SessionPlace[]> {
  const { store, fileSystem, config } = app;
  const own = ownSessions({
    store,
    fileSystem,
    directory: placeOf(app),
    isOnServers: app.servers !== undefined,
    indexEncrypted: config.catalog.indexEncrypted,
    hasKeyFile: config.retention.keyFile !== undefined,
  });
  if (ownOnly) return [own];
  const { foreignSessions } = await import('../../hub/foreign-sessions.ts');
  return [own, ...(await foreignSessions(foreignPorts(app)))];
}

/** `reason`: as in `CatalogOutcome`. */
export function unusableCatalog({ paths }: App, reason: string): OllmError {
  return new OllmError('IO_FAILED', `The catalogue ${reason}.`, {
    hint: adviceOn(reason, { path: join(paths.home, CATALOG_NAME), remade: '"ollm sync" makes it again' }),
  });
}
