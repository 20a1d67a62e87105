// `ollm list --all`: sessions of ollm and of other programs in one list. Unchanged files are not read again, because
// the catalogue has their rows; of the others the two ends are read. Lists, pages and counts are queries of one table,
// see list-memory.ts.
import { importedId } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import type { ListFilter, ListRange } from '../../catalog/list-table.ts';
import { type SessionKeeper, sessionKeepers } from '../../hub/session-keepers.ts';
import { isOfDirectory } from '../../platform/files/inside.ts';
import type { App } from '../app.ts';
import type { RemotesOf } from '../repository/known-remotes.ts';
import { type ProjectReach, reachOfProject } from '../repository/project-reach.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { foreignTitles, hiddenSessions } from './foreign-notes.ts';
import { allCopies, withSources } from './handover-copies.ts';
import { ListMemory, type UnreadablePlace } from './list-memory.ts';
import { ORDERS, type SessionOrder, type SessionRow } from './session-row.ts';
import { notedSubagents } from './subagent-imports.ts';

export type { ListMemory, UnreadablePlace } from './list-memory.ts';

export interface AllListed {
  readonly rows: readonly SessionRow[];
  readonly unreadable: readonly UnreadablePlace[];
}

export interface ListAllOptions {
  /** Only sessions of this program. */
  readonly agent?: string | undefined;
  /**
   * Only sessions of this directory, absolute, and of those below; for the root of a repository, also those of its
   * other clones, as far as a session there records their remote.
   */
  readonly project?: string | undefined;
  /** Only those in which something happened since. Milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Whether sessions of other programs are listed that the user has hidden. */
  readonly withHidden?: boolean | undefined;
  /** Whether copies that were handed over and not continued are listed next to their sources, as hidden ones are. */
  readonly withCopies?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly sort?: SessionOrder | undefined;
  /** The memory of a program that lists again and again. Without one, each list is made from the files. */
  readonly memory?: ListMemory | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The program of `agent`, of a caller that looks through its directories too. */
  readonly keepers?: readonly SessionKeeper[] | undefined;
}

/** A list as it is now. */
interface OpenList extends Disposable {
  readonly unreadable: readonly UnreadablePlace[];
  /** The rows that it counts, for queries of `memory.table`. */
  readonly filter: ListFilter;
  readonly memory: ListMemory;
  /** The newest activity first. */
  rows(range?: ListRange, only?: Pick<ListFilter, 'address' | 'withoutProject'>): Promise<SessionRow[]>;
}

const FIRST_HEADS = 64;

/**
 * Newest activity first by default. Sessions of subagents are left out: they belong to the session that began them. For
 * `agent: 'ollm'` every journal is listed, imports too.
 *
 * @example
 * const { rows } = await listAll(app, { project: process.cwd(), limit: 20 });
 * @throws OllmError USAGE (there is no such agent), INTERRUPTED
 */
export async function listAll(app: App, options: ListAllOptions = {}): Promise<AllListed> {
  const { sort = 'activity', limit } = options;
  using list = await openList(app, options);
  const { rows, unreadable } = list;
  if (sort === 'activity') return { rows: await rows({ limit }), unreadable };
  return { rows: (await rows()).sort(ORDERS[sort]).slice(0, limit), unreadable };
}

/** Looks at what changed. `limit`: how many of the first rows must be right; default: all. To be disposed of. */
export async function openList(app: App, options: ListAllOptions = {}): Promise<OpenList> {
  const { memory = new ListMemory(app) } = options;
  return memory.alone(() => lookedAt(app, memory, options));
}

async function lookedAt(app: App, memory: ListMemory, options: ListAllOptions): Promise<OpenList> {
  const { agent, sort = 'activity', limit = Number.POSITIVE_INFINITY, sinceMs, project, signal } = options;
  const { withHidden = false, withCopies = false } = options;
  const { table, fileSystem } = memory;
  const names = agent === undefined ? undefined : agent === OWN_AGENT ? [] : [agent];
  const ports = foreignPorts({ ...app, fileSystem });
  const projectsOfAll = () => memory.projectsOf(ports);
  const keepers = options.keepers ?? sessionKeepers({ ...ports, projects: projectsOfAll }, names);
  const unreadable = await memory.lookAt(keepers);
  const journalsAmong = await lookAtImports(app, memory, agent);
  const imports = agent === OWN_AGENT ? [] : await notedSubagents(app, new Set(table.unexplained(OWN_AGENT)));
  const hidden = withHidden ? undefined : hiddenSessions(app);
  const reach = project === undefined ? undefined : reachOfProject(app.fileSystem, project);
  const wanted: ListFilter = { agent, sinceMs, imports, hidden };
  const remotesOf = reach?.remote === undefined ? undefined : await memory.remotes();
  const projectsNow = () => reach && projectsIn(memory, { reach, filter: wanted, remotesOf });
  const needsAll = limit === Number.POSITIVE_INFINITY || sort !== 'activity' || reach?.remote !== undefined;
  const isEnough = (time: string) => table.totalSince({ ...wanted, projects: projectsNow() }, time) >= limit;
  await readUnread(memory, wanted, { isEnough: needsAll ? undefined : isEnough, signal });
  memory.store();
  const projects = projectsNow();
  const all = await allCopies(app);
  const copied = copiesIn(memory, { ...wanted, projects }, all, withHidden || withCopies);
  const titles = foreignTitles(app);
  const filter = { ...wanted, projects, leftOut: copied.leftOut };
  return {
    unreadable,
    memory,
    filter,
    async rows(range, only) {
      const found = table.rows({ ...filter, ...only }, range);
      const journals = journalsAmong(found.map(({ agent: name, id }) => importIdOf(name, id)));
      const rows = found.map((row): SessionRow => {
        const named = copied.rows.get(row.address) ?? row;
        const importId = row.importId ?? importIdOf(row.agent, row.id);
        const title = titles.get(row.address) ?? named.title;
        return { ...named, title, importId: journals.has(importId) ? importId : undefined };
      });
      return completed(app, memory, rows);
    },
    [Symbol.dispose]() {
      if (options.memory === undefined) table.close();
    },
  };
}

/** The id of its import. No journal has that of a session of ollm: an id holds no colon. */
function importIdOf(agent: string, id: string): string {
  return agent === OWN_AGENT ? `${agent}:${id}` : importedId(agent, id);
}

/**
 * Looks at the journals, where the list has rows of them. Of one program that is asked for, few have imports without a
 * source. Returns which journals there are.
 */
async function lookAtImports(
  app: App,
  memory: ListMemory,
  agent: string | undefined,
): Promise<(ids: readonly string[]) => ReadonlySet<string>> {
  const { table } = memory;
  if (agent !== undefined && agent !== OWN_AGENT && !memory.hasOwn) {
    const ids = new Set(await app.store.ids());
    if (![...ids].some((id) => id.startsWith(`${agent}-`) && !table.explains(id)))
      return (some) => new Set(some.filter((id) => ids.has(id)));
  }
  await memory.lookAtOwn();
  return (some) => new Set(memory.journals(some).keys());
}

/** The directories of rows that belong to the project. Any row may say that its own is another clone. */
function projectsIn(
  { table }: ListMemory,
  {
    reach: { roots, remote },
    filter,
    remotesOf,
  }: { readonly reach: ProjectReach; readonly filter: ListFilter; readonly remotesOf: RemotesOf | undefined },
): string[] {
  const found = table.projects(filter);
  const clones = found.filter((each) => {
    if (remote === undefined) return false;
    return each.agent === OWN_AGENT ? remotesOf?.(each.project).includes(remote) : each.remote === remote;
  });
  const directories = [...roots, ...new Set(clones.map((each) => each.project))];
  const isOfProject = (path: string) => directories.some((directory) => isOfDirectory(directory, path));
  return [...new Set(found.map((each) => each.project))].filter(isOfProject);
}

interface ReadingUnread {
  /** Whether enough rows are newer than this time. Without it, all are read. */
  readonly isEnough: ((newest: string) => boolean) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Reads the files that have to be read, the newest first: nothing in one is newer than its last change. */
async function readUnread(memory: ListMemory, filter: ListFilter, { isEnough, signal }: ReadingUnread): Promise<void> {
  // Each look into the catalogue opens it: the more were not enough, the more are looked up together.
  for (let read = 0; ; ) {
    const some = memory.table.unread(filter, isEnough === undefined ? -1 : 2 * read || FIRST_HEADS);
    if (some[0] === undefined || isEnough?.(some[0].row.lastActivity ?? '')) return;
    await memory.read(some, signal);
    read += some.length;
  }
}

/** The rows of copies, which name their sources, and the addresses of copies that are left out. */
function copiesIn(
  { table }: ListMemory,
  filter: ListFilter,
  copies: Awaited<ReturnType<typeof allCopies>>,
  withUnchanged: boolean,
): { readonly rows: ReadonlyMap<string, SessionRow>; readonly leftOut: readonly string[] } {
  if (copies.size === 0) return { rows: new Map(), leftOut: [] };
  const addresses = new Set([...copies].flatMap(([address, { from }]) => [address, from]));
  const found = [...addresses].flatMap((address) => table.rows({ ...filter, address }));
  const rows = new Map(withSources(found, copies, { withUnchanged }).map((row) => [row.address, row]));
  return { rows, leftOut: found.flatMap(({ address }) => (rows.has(address) ? [] : [address])) };
}

/** With the facts that may change though no file of a session does: their repositories, and which are open. */
async function completed(app: App, memory: ListMemory, rows: readonly SessionRow[]): Promise<SessionRow[]> {
  const isHere = ({ agent, project }: SessionRow) => agent === OWN_AGENT && project !== undefined;
  const remotesOf = rows.some(isHere) ? await memory.remotes() : undefined;
  const journalOf = ({ agent, id, importId }: SessionRow) => (agent === OWN_AGENT ? id : importId);
  const journals = memory.journals(rows.flatMap((row) => journalOf(row) ?? []));
  const completed: SessionRow[] = [];
  for (const row of rows) {
    const { agent, project } = row;
    const isOwn = agent === OWN_AGENT;
    const id = journalOf(row);
    const mayBeOpen = id !== undefined && (journals.get(id)?.isOpen ?? !isOwn);
    const locked = mayBeOpen ? (await app.store.holder(id)) !== undefined : row.locked;
    const remote = isOwn && project !== undefined ? remotesOf?.(project)[0] : row.remote;
    // An agent that runs has not written its session yet.
    completed.push({ ...row, remote, locked, gone: row.gone && !locked });
  }
  return completed;
}
