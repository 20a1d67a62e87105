// Brings the catalogue up to date with every source: new and changed sessions are read, unchanged ones are not opened.
// Only one process does that at a time; a session that cannot be read is reported and stops nothing else.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { partsOfInside } from '../agents/inside.ts';
import type { Catalog, CataloguedName } from '../catalog/catalog.ts';
import { type CatalogEdit, inTransaction } from '../catalog/catalog-edit.ts';
import {
  type IndexOptions,
  indexSession,
  isAsRead,
  isIndexed,
  isReadWhole,
  type KnownSession,
  knownSessions,
  noteFile,
  numbersOf,
  removeSession,
} from '../catalog/index-session.ts';
import type { TextSource } from '../catalog/text-source.ts';
import { isOllmError, messageOf } from '../errors/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import { isInside } from '../platform/files/inside.ts';
import { isSettled } from '../platform/files/settled.ts';
import { SYNC_LOCK } from './is-up-to-date.ts';
import type { ListedSources, SessionPlace, SkippedSource } from './sources.ts';

/** Sessions that another thread reads, in the order in which they are stored. */
export interface ReadAhead {
  next: NonNullable<IndexOptions['readAhead']>;
  close(): Promise<void>;
}

export interface SyncOptions extends Pick<IndexOptions, 'clean' | 'outputs' | 'remoteOf' | 'signal'> {
  readonly catalog: Catalog;
  readonly places: readonly SessionPlace[];
  /** `$OLLM_HOME`, where the lock is. */
  readonly home: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  /** Whether the catalogue may hold text. If not, its text is erased. */
  readonly storesText: boolean;
  /** No session is begun after this time. Default: all of them. */
  readonly budgetMs?: number | undefined;
  /** Whether the index is put in order after new texts. */
  readonly isThorough: boolean;
  /** Erases sessions, or all: the catalogue may not hold their text any more. Returns whether that was possible. */
  readonly erase: (sessions?: readonly CataloguedName[]) => Promise<boolean>;
  /**
   * Called with the catalogue when all is stored, as long as no other process syncs. Not called where another program
   * has changed the catalogue meanwhile.
   */
  readonly onStored?: ((database: DatabaseSync) => void) | undefined;
  /** Begins to read these. Called where much is to be read; undefined: they are read here. */
  readonly readAhead?: ((sources: readonly TextSource[]) => Promise<ReadAhead | undefined>) | undefined;
  /** Called before each session that is read. */
  readonly onProgress?: ((progress: { done: number; total: number; address: string }) => void) | undefined;
}

/** What a sync did. */
export interface SyncReport {
  /** Sessions there are. */
  readonly sessions: number;
  /** The number that was read. */
  readonly read: number;
  /** Messages, calls and outputs that came in. */
  readonly rows: number;
  /** Sessions that left the catalogue, or were marked as gone. */
  readonly vanished: number;
  /** Sessions that the budget left for another time. */
  readonly left: number;
  /** Places in sources that could not be read. */
  readonly damaged: number;
  /** The sessions that they are in. */
  readonly damage: readonly DamagedSource[];
  readonly skipped: readonly SkippedSource[];
  /** Sessions whose file has the id of another one and says something else; both were read. */
  readonly contradictions: readonly SkippedSource[];
}

interface DamagedSource {
  readonly address: string;
  readonly places: number;
}

/** `busy`: another process is at it. `refused`: the catalogue cannot be written; as in `CatalogOutcome`. */
export type SyncOutcome =
  | { readonly kind: 'done'; readonly report: SyncReport }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly reason: string };

/** @throws the reason of `signal` */
export async function syncCatalog(options: SyncOptions): Promise<SyncOutcome> {
  const sealed: TextSource[] = [];
  const outcome = await options.catalog.edit(async (edit): Promise<SyncReport | 'busy'> => {
    const { fileSystem, home } = options;
    using lock = fileSystem.open(join(home, SYNC_LOCK), 'lock', 0o600);
    return lock.tryLock('exclusive') ? await syncAll(edit, options, sealed) : 'busy';
  });
  if (outcome.kind === 'absent') throw new Error('An edit makes the catalogue.');
  if (outcome.kind === 'refused') return outcome;
  if (outcome.value === 'busy') return { kind: 'busy' };
  const report = outcome.value;
  if (!options.storesText) return (await options.erase()) ? { kind: 'done', report } : STILL_HELD;
  if (sealed.length === 0 || (await options.erase(sealed))) return { kind: 'done', report };
  const kept = sealed.map(({ agent, id }) => ({
    address: `${agent}:${id}`,
    reason: `the catalogue ${STILL_HELD.reason}`,
  }));
  return { kind: 'done', report: { ...report, skipped: [...report.skipped, ...kept] } };
}

/** Reading this much takes two seconds. For less, a second thread takes longer to start than it saves. */
const MANY_BYTES = 64 * 1024 * 1024;

const STILL_HELD = {
  kind: 'refused',
  reason: 'is held by another process, and may still hold text that it may not have: the next sync removes it',
} as const;

/** `sealed`: sessions that the catalogue has, and that were encrypted since. */
async function syncAll(edit: CatalogEdit, options: SyncOptions, sealed: TextSource[]): Promise<SyncReport> {
  const { places, clock, outputs, clean, remoteOf, signal, isThorough, onProgress } = options;
  const { budgetMs = Number.POSITIVE_INFINITY } = options;
  if (!options.storesText) {
    const { n } = edit.database.prepare('SELECT count(*) AS n FROM sessions').get()!;
    return { ...NOTHING, vanished: Number(n) };
  }
  const before = versionOf(edit);
  const startedMs = clock.now();
  const end = clock.monotonic() + budgetMs;
  const skipped: SkippedSource[] = [];
  const touched: Touched[] = [];
  const damage: DamagedSource[] = [];
  const sum = { ...NOTHING };
  const copies: TextSource[] = [];
  const fresh = new Set<TextSource>();
  const whole = new Set<TextSource>();
  for (const place of places) {
    const listed = await listedAt(place);
    sum.sessions += listed.sources.length;
    skipped.push(...listed.skipped);
    copies.push(...listed.sources.filter(({ copyOf }) => copyOf !== undefined));
    const known = knownSessions(edit.database, place);
    for (const source of listed.sources) {
      const found = known.get(source.id);
      if (isIndexed(found, source, { outputs })) continue;
      touched.push({ source, known: found });
      if (found === undefined) fresh.add(source);
      if (isReadWhole(found, source, { outputs })) whole.add(source);
    }
    if (place.isPart) continue;
    for (const { id } of listed.sources) known.delete(id);
    const ids = new Set(listed.sources.map(({ id }) => id));
    for (const [id, { path }] of known) {
      // A subagent inside of a file is there as long as the session of the file is.
      const inside = partsOfInside(id);
      if (inside !== undefined && ids.has(inside.parent)) known.delete(id);
      else if (listed.unlisted.some((unlisted) => isInside(unlisted, path ?? place.directory))) known.delete(id);
    }
    sum.vanished += await dropVanished(edit, place, [...known.values()]);
  }
  const stale = await readAgain(edit, touched, {
    outputs,
    signal,
    isSettled: (file) => isSettled(file, startedMs),
    hasTime: () => clock.monotonic() <= end,
  });
  stale.sort(newestFirst);
  const areMany = (sources: readonly TextSource[]) =>
    isThorough && options.budgetMs === undefined && bytesOf(sources) >= MANY_BYTES;
  if (areMany(stale.filter((each) => whole.has(each)))) await edit.putOffMerges();
  const readable = stale.filter((each) => each.asData && fresh.has(each));
  const ahead = areMany(readable) ? await options.readAhead?.(readable) : undefined;
  try {
    for (const [done, source] of stale.entries()) {
      signal?.throwIfAborted();
      if (clock.monotonic() > end) {
        sum.left = stale.length - done;
        break;
      }
      const address = `${source.agent}:${source.id}`;
      onProgress?.({ done, total: stale.length, address });
      try {
        const { rows, damaged } = await indexSession(edit, source, {
          clean,
          outputs,
          remoteOf,
          signal,
          readAhead: ahead && ((each) => ahead.next(each)),
          isSettled: (file) => isSettled(file, startedMs),
        });
        sum.read += 1;
        sum.rows += rows;
        sum.damaged += damaged;
        if (damaged > 0) damage.push({ address, places: damaged });
      } catch (error) {
        signal?.throwIfAborted();
        if (isOfCatalog(error)) throw error;
        skipped.push({ address, reason: messageOf(error), ...(isOllmError(error) ? { code: error.code } : {}) });
        if (isOllmError(error, 'SESSION_ENCRYPTED') && isKnown(edit, source)) sealed.push(source);
      }
    }
    await edit.flush();
  } finally {
    await ahead?.close();
  }
  if (isThorough && (sum.rows > 0 || edit.hasMergesPutOff))
    await edit.mergeSegments(() => !signal?.aborted && clock.monotonic() < end);
  inTransaction(edit.database, () => {
    if (versionOf(edit) === before) options.onStored?.(edit.database);
  });
  return { ...sum, damage, skipped, contradictions: await contradictionsOf(copies, stale) };
}

/** A session whose file is not as the catalogue knows it. */
interface Touched {
  readonly source: TextSource;
  readonly known: KnownSession | undefined;
}

/** As many are compared in a few milliseconds. */
const COMPARED_AT_ONCE = 32;

/** The sessions of them that are to be read. The file of the others changed with a session next to them: noted. */
async function readAgain(
  edit: CatalogEdit,
  touched: readonly Touched[],
  {
    outputs,
    signal,
    isSettled,
    hasTime,
  }: Pick<IndexOptions, 'outputs' | 'signal' | 'isSettled'> & {
    readonly hasTime: () => boolean;
  },
): Promise<TextSource[]> {
  const stale: TextSource[] = [];
  for (const [index, { source, known }] of touched.entries()) {
    if (index % COMPARED_AT_ONCE === 0) await breathe();
    signal?.throwIfAborted();
    if (!hasTime() || !isAsRead(known, source, { outputs })) stale.push(source);
    else if (isSettled?.(source.file!)) await noteFile(edit, known!.number, source.file!);
  }
  return stale;
}

function bytesOf(sources: readonly TextSource[]): number {
  return sources.reduce((total, { file }) => total + (file?.size ?? 0), 0);
}

/** Changes with each write of another connection. */
function versionOf({ database }: CatalogEdit): unknown {
  return database.prepare('PRAGMA data_version').get()?.data_version;
}

/** Contradictions of new or changed copies, and of those whose original changed. */
async function contradictionsOf(
  copies: readonly TextSource[],
  stale: readonly TextSource[],
): Promise<readonly SkippedSource[]> {
  const changed = new Set(stale.map(({ agent, id }) => `${agent}:${id}`));
  const found: SkippedSource[] = [];
  for (const { agent, id, copyOf } of copies) {
    if (copyOf === undefined || !(changed.has(`${agent}:${id}`) || changed.has(`${agent}:${copyOf.id}`))) continue;
    const reason = await copyOf.contradiction();
    if (reason !== undefined) found.push({ address: `${agent}:${id}`, reason });
  }
  return found;
}

/** A place that cannot be listed says nothing about its sessions. */
async function listedAt(place: SessionPlace): Promise<ListedSources> {
  const { directory } = place;
  try {
    return await place.list();
  } catch (error) {
    const code = isOllmError(error) ? { code: error.code } : {};
    return { sources: [], skipped: [{ address: directory, reason: messageOf(error), ...code }], unlisted: [directory] };
  }
}

/** Not about one session: the database of another program says so by an OllmError. */
function isOfCatalog(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR';
}

/** The report on a sync that had nothing to do. */
export const NOTHING: SyncReport = {
  ...{ sessions: 0, read: 0, rows: 0, vanished: 0, left: 0, damaged: 0 },
  ...{ damage: [], skipped: [], contradictions: [] },
};

function isKnown({ database }: CatalogEdit, { agent, directory, id }: TextSource): boolean {
  return numbersOf(database, { agent, directory, ids: [id] }).length > 0;
}

/** The newest are those that are searched most. */
function newestFirst({ file: a }: TextSource, { file: b }: TextSource): number {
  return Number((b?.changedNs ?? 0n) - (a?.changedNs ?? 0n));
}

async function dropVanished(
  edit: CatalogEdit,
  { vanished }: SessionPlace,
  known: readonly KnownSession[],
): Promise<number> {
  const gone = known.filter(({ state }) => state === 'here');
  for (const { number } of gone) {
    if (vanished === 'remove') await removeSession(edit, number);
    else
      await edit.add(1, (database) => {
        database.prepare("UPDATE sessions SET state = 'gone' WHERE number = ?").run(number);
      });
  }
  return gone.length;
}
