// The rows of ollm's own sessions. Rows are remembered, so that a repeated list looks only at journals that have
// changed since; facts that may change without them are looked up for the shown rows.
import { join } from 'node:path';
import { type Address, formatAddress, parseAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { journalFileInfo } from '../../journal/files/journal-file.ts';
import { idOfJournal, journalName } from '../../journal/paths.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import type { ChangedNames } from '../../platform/disks/changed-names.ts';
import type { App } from '../app.ts';
import { remoteOf } from '../repository/git-state.ts';
import { bareSessionOf, idOfBare, listBareSessions } from './bare-sessions.ts';
import { bareRow, type ReadRow, readRows } from './list-sessions.ts';
import { ORDERS, type OwnSessionRow, type SessionRow } from './session-row.ts';

interface OwnRowsOptions {
  /** Which names in the directory of the sessions have changed. Undefined: any may have, at each look. */
  readonly changes?: Pick<ChangedNames, 'take'> | undefined;
}

interface Kept extends Pick<ReadRow, 'info' | 'isOpen' | 'isLasting'> {
  readonly row: SessionRow;
}

/** About a kilobyte each. Of more sessions, nothing is kept. */
const MOST_KEPT = 50_000;

export class OwnRows {
  readonly #app: App;
  readonly #changes: OwnRowsOptions['changes'];
  readonly #journals = new Map<string, Kept>();
  /** The sessions of which journals are imports, by the ids of these. */
  readonly #sources = new Map<string, Address>();
  /** Sessions of the older form, without a journal. */
  readonly #bare = new Map<string, SessionRow>();
  /** Ids of journals whose rows may change though their file looks the same. */
  readonly #passing = new Set<string>();
  /** Encrypted ones that were open to this program. */
  #opened: ReadonlySet<string> = new Set();
  #sorted: readonly SessionRow[] | undefined;
  #isWhole = false;
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(app: App, { changes }: OwnRowsOptions = {}) {
    this.#app = app;
    this.#changes = changes;
  }

  /**
   * Newest activity first. `complete` adds missing facts.
   * @throws OllmError as `JournalStore.list`
   */
  rows(): Promise<readonly SessionRow[]> {
    const refreshed = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = refreshed.catch(() => {});
    return refreshed;
  }

  /** Ids of all journals. */
  async ids(): Promise<ReadonlySet<string>> {
    if (this.#sorted === undefined) return new Set(await this.#app.store.ids());
    await this.rows();
    return new Set(this.#journals.keys());
  }

  /** With the repositories that they work in. One may have become another since: each is asked now. */
  withRemotes(rows: readonly SessionRow[]): SessionRow[] {
    const remotes = new Map<string, string | undefined>();
    return rows.map((row) => {
      const { agent, project } = row;
      if (agent !== OWN_AGENT || project === undefined) return row;
      if (!remotes.has(project)) remotes.set(project, remoteOf(this.#app.fileSystem, project));
      return { ...row, remote: remotes.get(project) };
    });
  }

  /** With their repositories, and whether a process has them open: that of another program, by its import. */
  async complete(rows: readonly SessionRow[]): Promise<SessionRow[]> {
    const completed: SessionRow[] = [];
    for (const row of this.withRemotes(rows)) {
      const id = row.agent === OWN_AGENT ? row.id : row.importId;
      const isOpen = id !== undefined && (this.#journals.get(id)?.isOpen ?? row.agent !== OWN_AGENT);
      if (!isOpen) completed.push(row);
      else {
        const locked = (await this.#app.store.holder(id)) !== undefined;
        // An agent that runs has not written its session yet.
        completed.push({ ...row, locked, gone: row.gone && !locked });
      }
    }
    return completed;
  }

  /** An import as the session that it is of, of which it is all that is there. */
  asSource(row: SessionRow): SessionRow {
    const source = this.#sources.get(row.id);
    if (row.agent !== OWN_AGENT || source === undefined) return row;
    return { ...row, ...source, address: formatAddress(source), importId: row.id, gone: true };
  }

  async #refresh(): Promise<readonly SessionRow[]> {
    const changed = (await this.#changes?.take()) ?? 'all';
    const isAll = changed === 'all' || !this.#isWhole || this.#journals.size > MOST_KEPT;
    // A look that fails has looked at nothing.
    this.#isWhole = false;
    if (this.#journals.size > MOST_KEPT) {
      this.#journals.clear();
      this.#sorted = undefined;
    }
    this.#noteOpened();
    const infos = isAll ? await this.#lookAtAll() : this.#lookAt(changed);
    const stale = infos.filter((info) => !isSame(this.#journals.get(info.id), info));
    for (const read of await readRows(this.#app, stale, { isAll: isAll && stale.length === infos.length })) {
      this.#keep(read);
    }
    if (stale.length > 0) this.#sorted = undefined;
    this.#sorted ??= [...this.#all()].sort(ORDERS.activity);
    this.#isWhole = true;
    return this.#sorted;
  }

  /** Marks sessions that were unlocked, or locked again: their rows change. */
  #noteOpened(): void {
    const opened = new Set(this.#app.keyring.opened().map(({ id }) => id));
    for (const id of new Set([...opened, ...this.#opened])) {
      const kept = this.#journals.get(id);
      if (kept === undefined || opened.has(id) === this.#opened.has(id)) continue;
      this.#journals.set(id, { ...kept, isLasting: false });
      this.#passing.add(id);
    }
    this.#opened = opened;
  }

  async #lookAtAll(): Promise<readonly JournalFileInfo[]> {
    const infos = await this.#app.store.list();
    const ids = new Set(infos.map(({ id }) => id));
    for (const id of this.#journals.keys()) if (!ids.has(id)) this.#forget(id);
    const bare = listBareSessions(this.#app, [...ids]);
    if (bare.length > 0 || this.#bare.size > 0) this.#sorted = undefined;
    this.#bare.clear();
    for (const each of bare) this.#bare.set(each.id, kept(bareRow(each)));
    return infos;
  }

  #lookAt(names: ReadonlySet<string>): readonly JournalFileInfo[] {
    const { fileSystem, paths } = this.#app;
    const ids = new Set([...names].flatMap((name) => idOfJournal(name) ?? idOfBare(name) ?? []));
    const infos: JournalFileInfo[] = [];
    for (const id of new Set([...ids, ...this.#passing])) {
      const stat = fileSystem.stat(join(paths.sessions, journalName(id)));
      if (stat !== undefined) infos.push(journalFileInfo(id, stat));
      else this.#forget(id);
      const bare = stat === undefined ? bareSessionOf(this.#app, id) : undefined;
      if (this.#bare.delete(id) || bare !== undefined) this.#sorted = undefined;
      if (bare !== undefined) this.#bare.set(id, kept(bareRow(bare)));
    }
    return infos;
  }

  #keep({ info, row, isOpen, isLasting }: ReadRow): void {
    this.#journals.set(info.id, { info, row: kept(row), isOpen, isLasting });
    const { address } = row.summary?.origin ?? {};
    const source = address === undefined ? undefined : parseAddress(address);
    // A fork of an import has its origin too, and an id of its own.
    if (source !== undefined && info.id.startsWith(`${source.agent}-`)) this.#sources.set(info.id, source);
    else this.#sources.delete(info.id);
    if (isLasting) this.#passing.delete(info.id);
    else this.#passing.add(info.id);
  }

  #forget(id: string): void {
    this.#passing.delete(id);
    if (this.#journals.delete(id)) this.#sorted = undefined;
  }

  *#all(): Generator<SessionRow, void, void> {
    for (const { row } of this.#journals.values()) yield row;
    yield* this.#bare.values();
  }
}

/** Whether the row that is kept is that of this very file. */
function isSame(kept: Kept | undefined, { inode, bytes, changedNs, isOrdinary }: JournalFileInfo): boolean {
  if (!kept?.isLasting) return false;
  const { info } = kept;
  const isSameFile = info.inode === inode && info.bytes === bytes && info.changedNs === changedNs;
  return isSameFile && info.isOrdinary === isOrdinary;
}

/** Without what only `listSessions` has. */
function kept(row: OwnSessionRow): SessionRow {
  const { summary: _, damaged, modified: __, problem, ...rest } = row;
  return { ...rest, problem: problem ?? (damaged > 0 ? 'damaged' : undefined) };
}
