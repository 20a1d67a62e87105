// `ollm sync`: brings the texts of sessions into the catalogue, so that they can be searched.
import { isAbsolute, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import type { CatalogOutcome } from '../../catalog/derived-file.ts';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { adviceOn } from '../../catalog/why-unusable.ts';
import { configuredSecrets } from '../../config/configured-secrets.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { LookRecorder, seesTheSame } from '../../hub/last-look.ts';
import { ownSessions } from '../../hub/own-sessions.ts';
import { placeOfFile } from '../../hub/place-of-file.ts';
import type { SessionPlace, SkippedSource } from '../../hub/sources.ts';
import { NOTHING, type SyncOptions, type SyncOutcome, syncCatalog } from '../../hub/sync.ts';
import { kept } from '../../platform/once.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';
import { placeOf } from '../journals/place.ts';
import { eraseSessions } from '../list/erase-sessions.ts';
import { remoteOf } from '../repository/git-state.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { SYNCED_ELSEWHERE } from './not-indexed.ts';
import type { ReadAheadData } from './read-ahead.ts';

interface SyncRequest extends Pick<SyncOptions, 'signal' | 'budgetMs' | 'onProgress'> {
  /** Only the sessions of this store are looked at, which takes a moment, or only those of other programs. */
  readonly only?: 'own' | 'others' | undefined;
  /** Only the sessions in this file are looked at. */
  readonly path?: string | undefined;
}

/**
 * Never fails because of one session, nor because the catalogue cannot be used: the outcome says so.
 * @throws OllmError SESSION_NOT_FOUND: no session is kept at `path`
 */
export async function syncSessions(app: App, { only, path, ...request }: SyncRequest = {}): Promise<SyncOutcome> {
  const { catalog, paths, fileSystem, clock, config } = app;
  const storesText = !config.retention.encryptAtRest || config.catalog.indexEncrypted;
  const isLook = path === undefined && only !== 'own' && storesText;
  // In a moment, files that are the same are not looked at again.
  if (isLook && request.budgetMs !== undefined && (await seesTheSameNow(app))) {
    return only === 'others' ? { kind: 'done', report: NOTHING } : syncSessions(app, { only: 'own', ...request });
  }
  const look = isLook ? new LookRecorder(app, clock.now()) : undefined;
  let about: string | undefined;
  const remotes = new Map<string, string | undefined>();
  const remoteIn = (directory: string) => (isAbsolute(directory) ? remoteOf(fileSystem, directory) : undefined);
  const redact = await app.redactor();
  const clean = (text: string) => redact(text).text;
  const outputs = config.retention.storeToolOutputs;
  const outcome = await syncCatalog({
    ...request,
    catalog,
    home: paths.home,
    fileSystem,
    clock,
    places:
      path === undefined ? await sessionPlaces(app, { only, look }) : [await placeAt(app, resolve(app.cwd, path))],
    storesText,
    isThorough: path === undefined && only === undefined,
    outputs,
    clean,
    readAhead: async (sources) => {
      // Only a sync of much starts a thread.
      const { readAhead } = await import('./read-ahead.ts');
      return readAhead(sources, readingData(app), { clean, outputs, signal: request.signal });
    },
    remoteOf: (directory) => kept(remotes, directory, remoteIn),
    erase: (sessions) => eraseSessions(app, sessions),
    onStored: (database) => {
      about = aboutLook(app, database);
    },
  });
  const isWhole = outcome.kind === 'done' && outcome.report.left === 0 && !outcome.report.skipped.some(isPassing);
  if (look !== undefined && about !== undefined && isWhole) await storeLook(app, look, about);
  return outcome;
}

/**
 * Whether a session that could not be read this time may be readable the next time, with its file as it is. The reason
 * has the name of the system's error or the words of SQLite, or says that a program writes or that a thread broke down.
 */
function isPassing({ reason }: Pick<SkippedSource, 'reason'>): boolean {
  return /\b(?:EMFILE|ENFILE|EAGAIN|EIO|EBUSY|ENOMEM)\b|\b(?:database|table)\b.* is locked|\bin the middle of a write\b|\b(?:being|was) written\b|\bthread\b.* broke down/.test(
    reason,
  );
}

function readingData(app: App): Omit<ReadAheadData, 'sources' | 'outputs'> {
  const { config, env } = app;
  const { uid, othersMayOwn = [] } = foreignPorts(app).files;
  const secretValues = config.services.redaction.enabled ? configuredSecrets(config, env) : undefined;
  return { secretValues, uid, othersMayOwn };
}

async function seesTheSameNow(app: App): Promise<boolean> {
  const { env, fileSystem, paths } = app;
  const found = await app.catalog.ask((database) => ({
    look: database.prepare('SELECT look FROM looks WHERE number = 1').get()?.look,
    about: aboutLook(app, database),
  }));
  if (found.kind !== 'done' || found.value.look === undefined) return false;
  const { look, about } = found.value;
  return seesTheSame(String(look), { about, env, fileSystem, project: paths.project });
}

/**
 * The next one need not be made as long as this one holds. It is not stored where the catalogue is busy. `about`: as
 * the sync left the catalogue, so that a session that another process removed since is looked for.
 */
async function storeLook(app: App, look: LookRecorder, about: string): Promise<void> {
  const projects = (await foreignPorts(app).projects?.()) ?? [];
  await app.catalog.edit(async (edit) => {
    const text = look.stored(about, projects);
    await edit.add(1, (database) => {
      database.exec('DELETE FROM looks');
      if (text !== undefined) database.prepare('INSERT INTO looks VALUES (1, ?)').run(text);
      database.exec("INSERT INTO looks VALUES (2, '')");
    });
    await edit.flush();
  });
}

/** The revisions say whether a session left the catalogue since, or came into it by its path. */
function aboutLook({ config }: App, database: DatabaseSync): string {
  const revisions = database.prepare('SELECT agent, number FROM revisions WHERE agent <> ? ORDER BY agent');
  return JSON.stringify([VERSION, config.hub.homes, config.retention.storeToolOutputs, revisions.all(OWN_AGENT)]);
}

async function placeAt(app: App, path: string): Promise<SessionPlace> {
  const place = await placeOfFile(path, await sessionPlaces(app), app.fileSystem);
  if (place !== undefined) return place;
  throw new OllmError('SESSION_NOT_FOUND', `${path} is not a file in which a program keeps its sessions.`, {
    hint: '"ollm agents" shows where they are looked for; "ollm import --file PATH" takes a transcript from anywhere.',
    data: { path },
  });
}

/** Whether all sessions of other programs were in the catalogue once. */
export function wasWhole(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM looks WHERE number = 2').get() !== undefined;
}

/** The one list of where sessions come from. */
export async function sessionPlaces(
  app: App,
  { only, look }: Pick<SyncRequest, 'only'> & { readonly look?: LookRecorder | undefined } = {},
): Promise<readonly SessionPlace[]> {
  const { store, fileSystem, config } = app;
  const own = ownSessions({
    store,
    fileSystem,
    directory: placeOf(app),
    isOnServers: app.servers !== undefined,
    indexEncrypted: config.catalog.indexEncrypted,
    hasKeyFile: config.retention.keyFile !== undefined,
  });
  if (only === 'own') return [own];
  const { sessionKeepers } = await import('../../hub/session-keepers.ts');
  const seen = look === undefined ? app : { ...app, fileSystem: look.fileSystem, env: look.env };
  const others: SessionPlace[] = [];
  for await (const { places } of sessionKeepers(foreignPorts(seen))) others.push(...places);
  return only === 'others' ? others : [own, ...others];
}

/** Sentences on sessions that are missing in the catalogue after a sync. */
export function missingAfter(synced: SyncOutcome): readonly string[] {
  if (synced.kind === 'refused') return [`The catalogue ${synced.reason}: what is new in it is missing here.`];
  if (synced.kind === 'busy') return [SYNCED_ELSEWHERE];
  const { left, skipped } = synced.report;
  const [first, ...more] = skipped.filter(isPassing);
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return [
    ...(left === 0 ? [] : [`${countOf(left, 'session')} changed and not indexed yet: run "ollm sync".`]),
    ...(first === undefined ? [] : [`${first.address} was skipped${others}: ${first.reason}`]),
  ];
}

/** @throws OllmError IO_FAILED: the catalogue cannot be read. `synced`: why it may not be there */
export function requireAnswer<Result>(app: App, outcome: CatalogOutcome<Result>, synced: SyncOutcome): Result {
  if (outcome.kind === 'done') return outcome.value;
  const reason =
    outcome.kind === 'refused' ? outcome.reason : synced.kind === 'refused' ? synced.reason : 'is not there';
  throw unusableCatalog(app, reason);
}

/** `reason`: as in `CatalogOutcome`. */
export function unusableCatalog({ paths }: App, reason: string): OllmError {
  return new OllmError('IO_FAILED', `The catalogue ${reason}.`, {
    hint: adviceOn(reason, { path: join(paths.home, CATALOG_NAME), remade: '"ollm sync" makes it again' }),
  });
}
