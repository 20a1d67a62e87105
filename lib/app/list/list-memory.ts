// Looks at the sessions of every program and keeps the table of their rows up to date. A program that lists once fills
// it and is done. One that lists again and again looks at what changed: at the journals whose names the system reports,
// and of other programs at the directories in which a name came or went, at the rows of the catalogue if that changed,
// and at the files that changed last. All files are looked at once a minute, so that an older session that goes on is
// seen by then.
import { dirname, join } from 'node:path';
import { formatAddress, importedId, parseAddress } from '../../agents/address.ts';
import type { Agent, Source } from '../../agents/agent.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import type { SourceFile } from '../../catalog/index-session.ts';
import { ListTable, type RowSource } from '../../catalog/list-table.ts';
import { type CataloguedSession, cataloguedSessions, revisionsIn } from '../../catalog/listed-sessions.ts';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { isOllmError } from '../../errors/index.ts';
import { type ForeignPorts, type FoundSources, fileOf, unlistedPaths } from '../../hub/find-sources.ts';
import type { SessionKeeper } from '../../hub/session-keepers.ts';
import { journalFileInfo } from '../../journal/files/journal-file.ts';
import { idOfJournal, journalName } from '../../journal/paths.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import { ChangedNames } from '../../platform/disks/changed-names.ts';
import { KnownDirectories } from '../../platform/disks/known-directories.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { FileSystem } from '../../platform/index.ts';
import type { App } from '../app.ts';
import { knownRemotes, type RemotesOf, type StoredRemotes, storedRemotes } from '../repository/known-remotes.ts';
import { type BareSession, bareSessionOf, idOfBare, listBareSessions } from './bare-sessions.ts';
import { type ForeignRow, foreignRow, vanishedRow, withHead } from './foreign-row.ts';
import { bareRow, type ReadRow, readRows } from './list-sessions.ts';
import { listedHeads } from './listed-head.ts';
import { mayBeImport } from './may-be-import.ts';
import { BLANK_ROW, type OwnSessionRow, type SessionRow } from './session-row.ts';

const ALL_AGAIN_MS = 60_000;
/** Files of a program that are looked at in each list. */
const MOST_LOOKED_AT = 100;

/** A place in which sessions may be, and cannot be looked at. `reason`: as the end of a sentence after the path. */
export interface UnreadablePlace {
  readonly path: string;
  readonly reason: string;
}

/** The places of a program as they were at the last look. */
interface LookedAt {
  readonly agent: Agent;
  readonly unreadable: readonly UnreadablePlace[];
  /** By their paths, the directories and databases in which sessions come and go; see path-stamp.ts. */
  readonly stamps: ReadonlyMap<string, string | undefined>;
  /** See `#catalogStamps`. */
  readonly catalog: string;
  /** When all files were looked at, by a clock that never goes back. */
  readonly sinceMs: number;
}

interface KnownCatalog {
  readonly file: string;
  readonly revisions: ReadonlyMap<string, number> | undefined;
  /** Directories of projects that it has. */
  projects?: Promise<readonly string[]> | undefined;
  remotes?: Promise<StoredRemotes> | undefined;
}

/** Ends with the app. */
export function openListMemory(app: App): ListMemory {
  const { servers, mode, paths } = app;
  const isDirectory = servers === undefined && mode !== 'ephemeral';
  const changes = isDirectory ? new ChangedNames(paths.sessions, app) : undefined;
  app.onClose(async () => changes?.close());
  return new ListMemory(app, { isKept: true, changes });
}

interface ListMemoryOptions {
  /** Whether it is looked at more than once. Default: once. */
  readonly isKept?: boolean | undefined;
  /** Which names in the directory of the sessions have changed. Default: any may have, at each look. */
  readonly changes?: Pick<ChangedNames, 'take'> | undefined;
}

export class ListMemory {
  readonly #app: App;
  readonly #isKept: boolean;
  readonly #changes: Pick<ChangedNames, 'take'> | undefined;
  readonly #directories: KnownDirectories;
  readonly #programs = new Map<string, LookedAt>();
  /** The file of the catalogue as it was, and the revision of each program's sessions in it. */
  #catalog: KnownCatalog | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #isOwnWhole = false;
  /** Encrypted sessions that were open to this program. */
  #opened: ReadonlySet<string> = new Set();
  readonly table: ListTable<SessionRow>;
  /** Through which sessions of other programs are looked for. */
  readonly fileSystem: FileSystem;

  constructor(app: App, { isKept = false, changes }: ListMemoryOptions = {}) {
    this.#app = app;
    this.#isKept = isKept;
    this.table = new ListTable({ own: OWN_AGENT, blank: BLANK_ROW, isKept });
    this.#changes = changes;
    this.#directories = new KnownDirectories(app);
    this.fileSystem = isKept ? this.#directories.fileSystem() : app.fileSystem;
  }

  /** Whether all journals of the store are in the table, as they were at the last look. */
  get hasOwn(): boolean {
    return this.#isOwnWhole;
  }

  /** Does one look after the other. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#looking.then(work);
    this.#looking = result.catch(() => {});
    return result;
  }

  // ── Sessions of ollm ──

  /** @throws OllmError as `JournalStore.list` */
  async lookAtOwn(): Promise<void> {
    const changed = (await this.#changes?.take()) ?? 'all';
    const isAll = changed === 'all' || !this.#isOwnWhole;
    // A look that fails has looked at nothing.
    this.#isOwnWhole = false;
    const opened = new Set(this.#app.keyring.opened().map(({ id }) => id));
    // The rows of sessions that were unlocked since the last look, or locked again, change.
    const reopened = new Set([...opened, ...this.#opened]);
    for (const id of reopened) if (opened.has(id) === this.#opened.has(id)) reopened.delete(id);
    const gone: string[] = [];
    const infos = isAll ? await this.#app.store.list() : this.#changedJournals(changed, reopened, gone);
    const ids = infos.map(({ id }) => id);
    const known = isAll ? this.table.sources(OWN_AGENT) : this.table.named(OWN_AGENT, ids);
    if (isAll) gone.push(...known.keys());
    const bare = isAll ? listBareSessions(this.#app, ids) : changedBare(this.#app, changed, ids);
    const stale = infos.filter((info) => reopened.has(info.id) || !isSameJournal(known.get(info.id), info));
    const read = await readRows(this.#app, stale, { isAll: isAll && stale.length === infos.length });
    const there = new Set(ids);
    this.table.write(() => {
      this.table.drop(
        OWN_AGENT,
        gone.filter((key) => !there.has(key)),
      );
      for (const each of read) this.#putOwn(each);
      for (const each of bare)
        this.table.put({ owner: OWN_AGENT, key: bareKey(each.id) }, { always: kept(bareRow(each)) });
    });
    this.#opened = opened;
    this.#isOwnWhole = true;
  }

  /** Keys of those that are not there any more come into `gone`. */
  #changedJournals(names: ReadonlySet<string>, reopened: ReadonlySet<string>, gone: string[]): JournalFileInfo[] {
    const { fileSystem, paths } = this.#app;
    const ids = [...names].flatMap((name) => idOfJournal(name) ?? idOfBare(name) ?? []);
    const passing = this.table.uncertain(OWN_AGENT, 0).map(({ key }) => key);
    return [...new Set([...ids, ...passing, ...reopened])].flatMap((id) => {
      const stat = fileSystem.stat(join(paths.sessions, journalName(id)));
      gone.push(bareKey(id));
      if (stat !== undefined) return [journalFileInfo(id, stat)];
      gone.push(id);
      return [];
    });
  }

  #putOwn({ info, row, isOpen, isLasting }: ReadRow): void {
    const { id, inode, bytes: size, changedNs } = info;
    const file = inode === undefined || changedNs === undefined ? undefined : { inode, size, changedNs };
    const source = { owner: OWN_AGENT, key: id, file, isPassing: !isLasting, isOpen };
    const own = kept(row);
    if (mayBeImport(id))
      this.table.put({ ...source, importId: id }, { 'as import': own, 'as source': asSource(own, row) });
    else this.table.put(source, { always: own });
  }

  // ── Sessions of other programs ──

  /** Returns the places that cannot be looked at. */
  async lookAt(keepers: Iterable<SessionKeeper> | AsyncIterable<SessionKeeper>): Promise<readonly UnreadablePlace[]> {
    if (this.#isKept && this.#programs.size > 0) this.table.index();
    const stampOf = this.#isKept ? await this.#catalogStamps() : () => '';
    const unreadable: UnreadablePlace[] = [];
    for await (const keeper of keepers) {
      unreadable.push(...(await this.#lookAtProgram(keeper, stampOf(keeper.agent.name))));
    }
    return unreadable;
  }

  async #lookAtProgram(keeper: SessionKeeper, catalog: string): Promise<readonly UnreadablePlace[]> {
    const { clock } = this.#app;
    const { agent, directories } = keeper;
    const startMs = clock.now();
    const nowMs = clock.monotonic();
    const before = this.#programs.get(agent.name);
    const isAll = before === undefined || nowMs - before.sinceMs >= ALL_AGAIN_MS;
    if (isAll) this.#directories.forget(directories);
    const changed = isAll ? undefined : this.#changedIn(before);
    const isCatalogSame = before?.catalog === catalog;
    if (changed?.size === 0 && isCatalogSame) {
      this.#lookAgain(agent);
      return before!.unreadable;
    }
    const unreadable: UnreadablePlace[] = [];
    this.table.keep(agent.name, directories);
    for (const found of keeper.places()) {
      await this.#lookInto(agent, found, {
        isCatalogSame,
        isChanged: (path) => changed === undefined || changed.has(path) || !before!.stamps.has(path),
      });
      unreadable.push(...found.unreadable);
    }
    if (before !== undefined) this.#lookAgain(agent);
    const watched = this.#isKept ? watchedOf(keeper) : [];
    const stamps = new Map(watched.map((path) => [path, this.#directories.stampOf(path, startMs)]));
    this.#programs.set(agent.name, { agent, unreadable, stamps, catalog, sinceMs: isAll ? nowMs : before.sinceMs });
    return unreadable;
  }

  /** A text for each program that changes when the catalogue says something else of its sessions. */
  async #catalogStamps(): Promise<(agent: string) => string> {
    const { fileSystem, paths, catalog } = this.#app;
    const path = join(paths.home, CATALOG_NAME);
    const stats = [path, `${path}-wal`].map((each) => fileSystem.stat(each));
    const file = stats.map((stat) => (stat?.size ? `${stat.inode} ${stat.size} ${stat.changedNs}` : '')).join(' ');
    if (this.#catalog?.file !== file) {
      const asked = await catalog.ask(revisionsIn);
      this.#catalog = { file, revisions: asked.kind === 'done' ? asked.value : undefined };
    }
    const { revisions } = this.#catalog;
    return revisions === undefined ? () => file : (agent) => `${stats[0]?.inode} ${revisions.get(agent)}`;
  }

  /** Directories in which programs may keep sessions, asked again when the catalogue has changed. */
  async projectsOf(ports: Pick<ForeignPorts, 'projects'>): Promise<readonly string[]> {
    const asked = this.#catalog?.projects ?? ports.projects?.() ?? [];
    if (this.#catalog !== undefined) this.#catalog.projects ??= Promise.resolve(asked);
    return asked;
  }

  /** See `knownRemotes`. The catalogue is asked again when it has changed. */
  async remotes(): Promise<RemotesOf> {
    const asked = this.#catalog?.remotes ?? storedRemotes(this.#app);
    if (this.#catalog !== undefined) this.#catalog.remotes = asked;
    return knownRemotes(this.#app, await asked);
  }

  #changedIn({ stamps }: LookedAt): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const [path, stamp] of stamps) {
      if (stamp === undefined || this.#directories.stampOf(path) !== stamp) changed.add(path);
    }
    return changed;
  }

  /** Looks at the sources of one directory, and at the rows that the catalogue has of it. */
  async #lookInto(
    agent: Agent,
    found: FoundSources,
    { isCatalogSame, isChanged }: { readonly isCatalogSame: boolean; readonly isChanged: (path: string) => boolean },
  ): Promise<void> {
    const { directory } = found;
    const before = this.table.sources(agent.name, directory);
    const there = new Set<string>();
    const stale: { readonly source: Source; readonly file: SourceFile | undefined }[] = [];
    for (const source of found.sources) {
      const key = sourceKey(source);
      there.add(key);
      const known = before.get(key);
      const mayHaveChanged = isChanged(dirname(source.path)) || agent.stored(source).kind === 'rows';
      const file = known === undefined || mayHaveChanged ? fileOf(agent, source, this.#app) : known.file;
      const isSame = known?.source === JSON.stringify(source) && isSameFile(known.file, file);
      if (!isSame || !isCatalogSame) stale.push({ source, file });
    }
    const isMissing = [...before].some(([key, { source }]) => source !== undefined && !there.has(key));
    if (stale.length === 0 && !isMissing && isCatalogSame) return;
    const known = await this.#catalogued(agent, directory);
    const unlisted = unlistedPaths(found);
    const left = new Map(known);
    for (const { id } of found.sources) left.delete(id);
    this.table.write(() => {
      for (const { source, file } of stale) {
        const ofIt = known.get(source.id);
        const last = before.get(sourceKey(source));
        const isSame =
          last?.known === JSON.stringify(ofIt) &&
          last?.source === JSON.stringify(source) &&
          isSameFile(last.file, file);
        if (!isSame) this.#putSource(agent, { directory, source, file, known: ofIt });
      }
      for (const row of left.values()) {
        const isUnlisted = unlisted.some((path) => isInside(path, row.path ?? directory));
        if (row.parent === null && row.state !== 'gone' && !isUnlisted) continue;
        const key = goneKey(directory, row.id);
        there.add(key);
        const text = JSON.stringify(row);
        if (before.get(key)?.known === text) continue;
        const source = { owner: agent.name, key, directory, known: text, importId: importedId(agent.name, row.id) };
        this.table.put(source, row.parent === null ? { always: vanishedRow(agent, row) } : 'never');
      }
      this.table.drop(
        agent.name,
        [...before.keys()].filter((key) => !there.has(key)),
      );
    });
  }

  async #catalogued(agent: Agent, directory: string): Promise<Map<string, CataloguedSession>> {
    const asked = await this.#app.catalog.ask((database) =>
      cataloguedSessions(database, { agent: agent.name, directory }),
    );
    return asked.kind === 'done' ? asked.value : new Map();
  }

  #putSource(
    agent: Agent,
    { directory, source, file, known }: Omit<ForeignRow, 'agent'> & { readonly directory: string },
  ): void {
    const { name } = agent;
    const listed = { owner: name, key: sourceKey(source), directory, file, importId: importedId(name, source.id) };
    const facts = this.#isKept ? { source: JSON.stringify(source), known: JSON.stringify(known) } : {};
    if (source.parent !== undefined) this.table.put({ ...listed, ...facts }, 'never');
    else {
      const { row, isUnread } = foreignRow({ agent, source, file, known });
      if (isUnread) this.table.put({ ...listed, source: JSON.stringify(source), ...facts, isUnread }, { always: row });
      else this.table.put({ ...listed, ...facts }, { always: row });
    }
  }

  /** The files that changed last are looked at again, and those that may have changed though they look the same. */
  #lookAgain(agent: Agent): void {
    const changed = this.table.uncertain(agent.name, MOST_LOOKED_AT).filter(({ source, file, isPassing }) => {
      if (source === undefined) return false;
      return isPassing || !isSameFile(file, fileOf(agent, JSON.parse(source) as Source, this.#app));
    });
    if (changed.length === 0) return;
    this.table.write(() => {
      for (const { directory, source, known } of changed) {
        const again = JSON.parse(source!) as Source;
        const file = fileOf(agent, again, this.#app);
        const facts = known === undefined ? undefined : (JSON.parse(known) as CataloguedSession);
        this.#putSource(agent, { directory: directory!, source: again, file, known: facts });
      }
    });
  }

  /** Reads the files of these, which their directories do not say enough of. @throws OllmError INTERRUPTED */
  async read(
    unread: readonly { readonly source: RowSource; readonly row: SessionRow }[],
    signal?: AbortSignal,
  ): Promise<void> {
    const sources = unread.map(({ source: listed, row }) => {
      const { owner, directory, source, file } = listed;
      const { agent } = this.#programs.get(owner)!;
      return { listed, row, agent, directory: directory!, source: JSON.parse(source!) as Source, file };
    });
    const heads = await listedHeads(this.#app, sources, signal);
    this.table.write(() => {
      for (const [{ listed, row, agent, source }, { head, isLasting }] of heads) {
        const isPassing = !isLasting || isOllmError(head);
        this.table.put({ ...listed, isUnread: false, isPassing }, { always: withHead(row, { agent, source }, head) });
      }
    });
  }
}

function changedBare(app: App, names: ReadonlySet<string>, journals: readonly string[]): BareSession[] {
  const withJournal = new Set(journals);
  const ids = new Set([...names].flatMap((name) => idOfBare(name) ?? idOfJournal(name) ?? []));
  return [...ids].flatMap((id) => (withJournal.has(id) ? [] : (bareSessionOf(app, id) ?? [])));
}

/** No id of a journal holds a dot. */
function bareKey(id: string): string {
  return `${id}.json`;
}

/** A key that no other session of the program has, not even one with the same id. */
function sourceKey({ path, id }: Pick<Source, 'path' | 'id'>): string {
  return `${path}\0${id}`;
}

function goneKey(directory: string, id: string): string {
  return `\0${directory}\0${id}`;
}

/** Whether the row that is kept is that of this very file. */
function isSameJournal(listed: RowSource | undefined, { inode, bytes, changedNs }: JournalFileInfo): boolean {
  if (listed?.file === undefined || listed.isPassing || inode === undefined || changedNs === undefined) return false;
  return isSameFile(listed.file, { inode, size: bytes, changedNs });
}

function isSameFile(one: SourceFile | undefined, other: SourceFile | undefined): boolean {
  return one?.inode === other?.inode && one?.size === other?.size && one?.changedNs === other?.changedNs;
}

/** Without what only `listSessions` has: the time of the file would be formatted for each. */
function kept(own: OwnSessionRow): SessionRow {
  const { locked, damaged, problem = damaged > 0 ? 'damaged' : undefined } = own;
  const { address, agent, id, title, project, parent, model, startTime, lastActivity, messageCount, bytes } = own;
  const told = { address, agent, id, title, project, parent, model, startTime, lastActivity, messageCount, bytes };
  return { ...BLANK_ROW, ...told, locked, problem };
}

/** An import as the session that it is of, of which it is all that is left. */
function asSource(own: SessionRow, { summary }: OwnSessionRow): SessionRow {
  const { address } = summary?.origin ?? {};
  const source = address === undefined ? undefined : parseAddress(address);
  // A fork of an import has its origin too, and an id of its own.
  if (source === undefined || !own.id.startsWith(`${source.agent}-`)) return own;
  return { ...own, ...source, address: formatAddress(source), importId: own.id, gone: true };
}

/** Directories that the files are in, those above them up to the place, and databases: new sessions come into them. */
function watchedOf({ agent, directories, places }: SessionKeeper): readonly string[] {
  const watched = new Set(directories);
  for (const source of places().flatMap(({ sources }) => sources)) {
    const { path } = source;
    if (agent.stored(source).kind === 'rows') watched.add(path).add(`${path}-wal`);
    if (watched.has(dirname(path))) continue;
    const place = directories.find((each) => isInside(each, path));
    for (let folder = dirname(path); place !== undefined && !watched.has(folder); folder = dirname(folder)) {
      watched.add(folder);
    }
  }
  return [...watched];
}
