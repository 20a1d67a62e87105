// Looks at the sessions of every program and keeps the table of their rows up to date. It begins with the rows that the
// catalogue has, and stores there the changed ones. A program that lists once compares each file with its row. One that
// lists again and again looks at what changed: at the journals whose names the system reports,
// and of other programs at the directories in which a name came or went, at the rows of the catalogue if that changed,
// and at the files that changed last. All files are looked at once a minute, so that an older session that goes on is
// seen by then.
import { dirname, join } from 'node:path';
import { importedId } from '../../agents/address.ts';
import type { Agent, Source } from '../../agents/agent.ts';
import { OWN_AGENT, OWN_ROWS } from '../../catalog/catalog.ts';
import { fileIn, type ListedRows, ListTable, type RowSource, stampOf } from '../../catalog/list-table.ts';
import { type CataloguedSession, cataloguedSessions, revisionsIn } from '../../catalog/listed-sessions.ts';
import { CATALOG_NAME } from '../../catalog/schema.ts';
import { isClean } from '../../environment/redact-value.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { type ForeignPorts, type FoundSources, fileOf, isThere, unlistedPaths } from '../../hub/find-sources.ts';
import type { SessionKeeper } from '../../hub/session-keepers.ts';
import { journalFileInfo } from '../../journal/files/journal-file.ts';
import { idOfJournal, journalName } from '../../journal/paths.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import { ChangedNames } from '../../platform/disks/changed-names.ts';
import { KnownDirectories } from '../../platform/disks/known-directories.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { FileSystem } from '../../platform/index.ts';
import { Lanes } from '../../platform/lanes.ts';
import type { App } from '../app.ts';
import { placeOf } from '../journals/place.ts';
import { knownRemotes, type RemotesOf, type StoredRemotes, storedRemotes } from '../repository/known-remotes.ts';
import { type BareSession, bareSessionOf, idOfBare, listBareSessions } from './bare-sessions.ts';
import { type ForeignRow, foreignRow, rememberedRow, vanishedRow, withHead } from './foreign-row.ts';
import { bareRow, readRows } from './list-sessions.ts';
import { listedHeads, rowReader } from './listed-head.ts';
import { keptRow, listedJournal } from './listed-journal.ts';
import { BLANK_ROW, type SessionRow } from './session-row.ts';

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
  /** See `#catalogNow`. */
  readonly catalog: string;
  /** When all files were looked at, by a clock that never goes back. */
  readonly sinceMs: number;
}

/** The changes of a directory that are still to be stored. */
interface Unstored {
  readonly owner: string;
  readonly directory: string;
  readonly reader: string;
  readonly found: Map<string, ListedRows<SessionRow>>;
  readonly gone: Set<string>;
  revision?: string | undefined;
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

/** A session of another program, and the stamp of its file. */
interface ListedFile extends Pick<ForeignRow, 'source' | 'known'> {
  readonly directory: string;
  readonly stamp: string | undefined;
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
  readonly #attach: Parameters<ListTable<SessionRow>['load']>[0];
  /** The directory of the own sessions. */
  readonly #ownPlace: string;
  readonly #changes: Pick<ChangedNames, 'take'> | undefined;
  readonly #directories: KnownDirectories;
  readonly #programs = new Map<string, LookedAt>();
  /** The file of the catalogue as it was, and the revision of each program's sessions in it. */
  #catalog: KnownCatalog | undefined;
  readonly #unstored = new Map<string, Unstored>();
  readonly #looks = new Lanes(1);
  #isOwnLoaded = false;
  #isOwnWhole = false;
  /** Encrypted sessions that were open to this program. */
  #opened: ReadonlySet<string> = new Set();
  readonly table: ListTable<SessionRow>;
  /** Through which sessions of other programs are looked for. */
  readonly fileSystem: FileSystem;

  constructor(app: App, { isKept = false, changes }: ListMemoryOptions = {}) {
    this.#app = app;
    this.#isKept = isKept;
    this.table = new ListTable({ own: OWN_AGENT, blank: BLANK_ROW });
    this.#attach = (database, read) => app.catalog.attach(database, read);
    this.#ownPlace = placeOf(app);
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
    return this.#looks.run(work);
  }

  /** Stores what changed, after the caller has gone on. */
  store(): void {
    const { catalog, redactor } = this.#app;
    for (const { owner, directory, reader, found, gone, revision } of this.#unstored.values()) {
      const agent = this.#programs.get(owner)?.agent;
      catalog.update({ agent: owner, directory, reader }, async () => {
        const redact = found.size === 0 ? undefined : await redactor();
        return {
          found: [...found.values()],
          gone,
          revision,
          isCurrent: ({ source, stamp }) =>
            agent === undefined || source === undefined || stamp === this.#stampNow(agent, JSON.parse(source)),
          mayStore: ({ rows }) => redact === undefined || isClean(rows, (text) => redact(text).text),
        };
      });
    }
    this.#unstored.clear();
  }

  #stampNow(agent: Agent, source: Source): string | undefined {
    return stampOf(fileOf(agent, source, this.#app));
  }

  #unstoredOf({ owner, directory }: Pick<RowSource, 'owner' | 'directory'>): Unstored {
    const key = `${owner}\0${directory}`;
    const known = this.#unstored.get(key);
    if (known !== undefined) return known;
    const agent = this.#programs.get(owner)?.agent;
    const reader = agent === undefined ? OWN_ROWS.reader : rowReader(agent);
    const unstored: Unstored = { owner, directory, reader, found: new Map(), gone: new Set() };
    this.#unstored.set(key, unstored);
    return unstored;
  }

  #drop(owner: string, directory: string, keys: readonly string[]): void {
    if (keys.length === 0) return;
    this.table.drop(owner, directory, keys);
    const { found, gone } = this.#unstoredOf({ owner, directory });
    for (const key of keys) {
      found.delete(key);
      gone.add(key);
    }
  }

  // ── Sessions of ollm ──

  /** The journals among these ids that are listed. */
  journals(ids: Iterable<string>): ReadonlyMap<string, RowSource> {
    return this.table.named(OWN_AGENT, this.#ownPlace, ids);
  }

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
    if (!this.#isOwnLoaded) {
      this.#isOwnLoaded = true;
      await this.table.load(this.#attach, {
        owner: OWN_AGENT,
        directories: [this.#ownPlace],
        reader: OWN_ROWS.reader,
      });
    }
    const infos = isAll ? await this.#app.store.list() : this.#changedJournals(changed, reopened, gone);
    const ids = infos.map(({ id }) => id);
    const known = isAll ? this.table.stamps(OWN_AGENT, this.#ownPlace) : this.journals(ids);
    if (isAll) gone.push(...known.keys());
    const bare = isAll ? listBareSessions(this.#app, ids) : changedBare(this.#app, changed, ids);
    const stale = infos.filter((info) => reopened.has(info.id) || !isSameJournal(known.get(info.id), info));
    const read = await readRows(this.#app, stale, { isAll: isAll && stale.length === infos.length });
    const there = new Set(ids);
    this.table.write(() => {
      this.#drop(
        OWN_AGENT,
        this.#ownPlace,
        gone.filter((key) => !there.has(key)),
      );
      for (const each of read) this.table.put(listedJournal(each, this.#ownPlace));
      for (const each of bare) {
        const source = { owner: OWN_AGENT, directory: this.#ownPlace, key: bareKey(each.id) };
        this.table.put({ source, rows: { always: keptRow(bareRow(each)) } });
      }
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

  // ── Sessions of other programs ──

  /** Returns the places that cannot be looked at. */
  async lookAt(keepers: Iterable<SessionKeeper> | AsyncIterable<SessionKeeper>): Promise<readonly UnreadablePlace[]> {
    if (this.#isKept && this.#programs.size > 0) this.table.index();
    const catalogOf = await this.#catalogNow();
    const unreadable: UnreadablePlace[] = [];
    for await (const keeper of keepers) {
      unreadable.push(...(await this.#lookAtProgram(keeper, catalogOf(keeper.agent.name))));
    }
    return unreadable;
  }

  async #lookAtProgram(
    keeper: SessionKeeper,
    { stamp: catalog, revision }: { readonly stamp: string; readonly revision: string | undefined },
  ): Promise<readonly UnreadablePlace[]> {
    const { clock } = this.#app;
    const { agent, places } = keeper;
    const directories = places.map(({ directory }) => directory);
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
    const place = { owner: agent.name, directories, reader: rowReader(agent) };
    const agreed = before === undefined ? await this.table.load(this.#attach, place) : undefined;
    const unreadable: UnreadablePlace[] = [];
    this.table.keep(agent.name, directories);
    // Rows that are read meanwhile belong to this look, also the first one at a program.
    const looked = { agent, unreadable, stamps: new Map<string, string | undefined>(), catalog };
    if (before === undefined) this.#programs.set(agent.name, { ...looked, sinceMs: nowMs });
    for (const found of places.map((each) => each.found())) {
      await this.#lookInto(agent, found, {
        revision,
        isCatalogSame:
          agreed === undefined ? isCatalogSame : revision !== undefined && agreed.get(found.directory) === revision,
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

  /**
   * For each program, a text that changes when the catalogue says something else of its sessions, and their revision,
   * which is undefined where it cannot be read.
   */
  async #catalogNow(): Promise<(agent: string) => { readonly stamp: string; readonly revision: string | undefined }> {
    const { fileSystem, paths, catalog } = this.#app;
    const path = join(paths.home, CATALOG_NAME);
    const stats = [path, `${path}-wal`].map((each) => fileSystem.stat(each));
    const file = stats.map((stat) => (stat?.size ? `${stat.inode} ${stat.size} ${stat.changedNs}` : '')).join(' ');
    if (this.#catalog?.file !== file) {
      const asked = await catalog.ask(revisionsIn);
      const isKnown = asked.kind !== 'refused';
      this.#catalog = { file, revisions: isKnown ? (asked.kind === 'done' ? asked.value : new Map()) : undefined };
    }
    const { revisions } = this.#catalog;
    return (agent) => {
      const revision = revisions && String(revisions.get(agent) ?? 0);
      return { stamp: revision === undefined ? file : `${stats[0]?.inode} ${revision}`, revision };
    };
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
    {
      isCatalogSame,
      revision,
      isChanged,
    }: {
      readonly isCatalogSame: boolean;
      readonly revision: string | undefined;
      readonly isChanged: (path: string) => boolean;
    },
  ): Promise<void> {
    const { directory } = found;
    const before = this.table.stamps(agent.name, directory);
    const there = new Set<string>();
    const stale: { readonly source: Source; readonly stamp: string | undefined }[] = [];
    for (const source of found.sources) {
      there.add(source.id);
      const known = before.get(source.id);
      const mayHaveChanged = isChanged(dirname(source.path)) || agent.stored(source).kind === 'rows';
      const stamp = known === undefined || mayHaveChanged ? this.#stampNow(agent, source) : known.stamp;
      const isSame = known?.source === JSON.stringify(source) && known.stamp === stamp;
      if (!isSame || !isCatalogSame) stale.push({ source, stamp });
    }
    const unlisted = unlistedPaths(found);
    const isUnlisted = (path: string | null) => unlisted.some((each) => isInside(each, path ?? directory));
    /** Whether its file is there, and cannot be listed now: a program writes to it, or it may not be read. */
    const isUnread = (path: string | null) => path !== null && isUnlisted(path) && isThere(this.#app.fileSystem, path);
    if (found.unreadable.length > 0) {
      for (const [key, { source }] of before) {
        // The row stays as it was.
        if (source !== undefined && isUnread((JSON.parse(source) as Source).path)) there.add(key);
      }
    }
    const isMissing = [...before].some(
      ([key, { source, isPassing }]) => (source !== undefined || isPassing) && !there.has(key),
    );
    if (stale.length === 0 && !isMissing && isCatalogSame && found.unreadable.length === 0) return;
    const known = await this.#catalogued(agent, directory);
    const left = new Map([...known].filter(([key]) => !there.has(key)));
    const keys = [...stale.map(({ source }) => source.id), ...left.keys()];
    const listed = this.table.named(agent.name, directory, keys);
    this.table.write(() => {
      for (const { source, stamp } of stale) {
        const ofIt = known.get(source.id);
        const last = listed.get(source.id);
        const isSame =
          last?.known === JSON.stringify(ofIt) && last?.source === JSON.stringify(source) && last.stamp === stamp;
        if (!isSame) this.#putSource(agent, { directory, source, stamp, known: ofIt });
      }
      for (const row of left.values()) {
        if (row.parent === null && row.state !== 'gone' && !isUnlisted(row.path)) continue;
        const key = row.id;
        there.add(key);
        const text = JSON.stringify(row);
        const last = listed.get(key);
        if (last?.known === text && last.source === undefined) continue;
        const source = { owner: agent.name, key, directory, known: text, importId: importedId(agent.name, row.id) };
        if (row.parent === null && row.state !== 'gone' && isUnread(row.path)) {
          // Not for the catalogue: the next look may read it.
          this.table.put({
            source: { ...source, known: undefined, isPassing: true },
            rows: { always: rememberedRow(agent, row) },
          });
          continue;
        }
        this.#put({ source, rows: row.parent === null ? { always: vanishedRow(agent, row) } : 'never' });
      }
      this.#drop(
        agent.name,
        directory,
        [...before.keys()].filter((key) => !there.has(key)),
      );
    });
    if (there.size > 0) this.#unstoredOf({ owner: agent.name, directory }).revision = revision;
  }

  async #catalogued(agent: Agent, directory: string): Promise<Map<string, CataloguedSession>> {
    const asked = await this.#app.catalog.ask((database) =>
      cataloguedSessions(database, { agent: agent.name, directory }),
    );
    return asked.kind === 'done' ? asked.value : new Map();
  }

  /** Puts a row that the catalogue may have, too. */
  #put(listed: ListedRows<SessionRow>): void {
    this.table.put(listed);
    const { found, gone } = this.#unstoredOf(listed.source);
    found.set(listed.source.key, listed);
    gone.delete(listed.source.key);
  }

  #putSource(agent: Agent, { directory, source, stamp, known }: ListedFile): void {
    const { name } = agent;
    const facts = { source: JSON.stringify(source), known: JSON.stringify(known) };
    const listed = { owner: name, directory, key: source.id, stamp, importId: importedId(name, source.id), ...facts };
    if (source.parent !== undefined) {
      this.#put({ source: listed, rows: 'never' });
      return;
    }
    const { row, isUnread } = foreignRow({ agent, source, file: fileIn(stamp), known });
    if (isUnread) this.table.put({ source: { ...listed, isUnread }, rows: { always: row } });
    else this.#put({ source: listed, rows: { always: row } });
  }

  /** The files that changed last are looked at again, and those that may have changed though they look the same. */
  #lookAgain(agent: Agent): void {
    const changed = this.table.uncertain(agent.name, MOST_LOOKED_AT).filter(({ source, stamp, isPassing }) => {
      if (source === undefined) return false;
      return isPassing || stamp !== this.#stampNow(agent, JSON.parse(source) as Source);
    });
    if (changed.length === 0) return;
    this.table.write(() => {
      for (const { directory, source, known } of changed) {
        const again = JSON.parse(source!) as Source;
        const stamp = this.#stampNow(agent, again);
        const facts = known === undefined ? undefined : (JSON.parse(known) as CataloguedSession);
        this.#putSource(agent, { directory, source: again, stamp, known: facts });
      }
    });
  }

  /** Reads the files of these, which their directories do not say enough of. @throws OllmError INTERRUPTED */
  async read(
    unread: readonly { readonly source: RowSource; readonly row: SessionRow }[],
    signal?: AbortSignal,
  ): Promise<void> {
    const sources = unread.map(({ source: listed, row }) => {
      const { owner, source, stamp } = listed;
      const { agent } = this.#programs.get(owner)!;
      return { listed, row, agent, source: JSON.parse(source!) as Source, file: fileIn(stamp) };
    });
    const heads = await listedHeads(this.#app, sources, signal);
    this.table.write(() => {
      for (const [{ listed, row, agent, source }, { head, isLasting }] of heads) {
        const isPassing = !isLasting || isOllmError(head);
        const rows = { always: withHead(row, { agent, source }, head) };
        const read = { source: { ...listed, isUnread: false, isPassing }, rows };
        if (isPassing) this.table.put(read);
        else this.#put(read);
      }
    });
    // The next list continues where this one was stopped.
    if (heads.size < unread.length) {
      this.store();
      throw new OllmError('INTERRUPTED', 'Stopped.');
    }
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

/** Whether the row that is kept is that of this very file. */
function isSameJournal(listed: Pick<RowSource, 'stamp' | 'isPassing'> | undefined, info: JournalFileInfo): boolean {
  if (listed?.stamp === undefined || listed.isPassing) return false;
  return listed.stamp === stampOf({ ...info, size: info.bytes });
}

/** Directories that the files are in, those above them up to the place, and databases: new sessions come into them. */
function watchedOf({ agent, places, sources }: SessionKeeper): readonly string[] {
  const directories = places.map(({ directory }) => directory);
  const watched = new Set(directories);
  for (const source of sources()) {
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
