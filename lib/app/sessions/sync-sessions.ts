// `ollm sync`: what the sessions say, brought into the catalogue, so that it can be searched.
import { OllmError } from '../../errors/index.ts';
import { ownSessions } from '../../hub/own-sessions.ts';
import type { SessionPlace } from '../../hub/sources.ts';
import { type SyncOptions, type SyncOutcome, syncCatalog } from '../../hub/sync.ts';
import type { App } from '../app.ts';

export type SyncRequest = Pick<SyncOptions, 'signal' | 'budgetMs' | 'onProgress'>;

/** Never fails because of one session, nor because the catalogue cannot be used: the outcome says so. */
export async function syncSessions(app: App, request: SyncRequest = {}): Promise<SyncOutcome> {
  const { catalog, paths, fileSystem, clock, config } = app;
  const redact = await app.redactor();
  return syncCatalog({
    ...request,
    catalog,
    home: paths.home,
    fileSystem,
    clock,
    places: sessionPlaces(app),
    storesText: !config.retention.encryptAtRest || config.catalog.indexEncrypted,
    outputs: config.retention.storeToolOutputs,
    clean: (text) => redact(text).text,
  });
}

/** The one list of where sessions come from. */
function sessionPlaces({ store, fileSystem, paths, config }: App): readonly SessionPlace[] {
  const { indexEncrypted } = config.catalog;
  const hasKeyFile = config.retention.keyFile !== undefined;
  return [ownSessions({ store, fileSystem, directory: paths.sessions, indexEncrypted, hasKeyFile })];
}

/** @throws OllmError IO_FAILED */
export function unusableCatalog(reason: string): OllmError {
  return new OllmError('IO_FAILED', `The catalogue ${reason}.`, {
    hint: 'It is catalog-2.sqlite in the directory that "ollm doctor" names, and may be removed: it is made again.',
  });
}
