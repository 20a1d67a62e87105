// `ollm list --all`: sessions of ours and of other programs in one list. What the catalogue knows of a file that has
// not changed since is not read again; of the others the two ends are read. Nothing is written.
import { setImmediate as breathe } from 'node:timers/promises';
import { formatAddress, importedId } from '../../agents/address.ts';
import type { Agent } from '../../agents/agent.ts';
import { AGENT_NAMES, loadAgent } from '../../agents/registry.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { type CataloguedSession, cataloguedSessions, isOfFile } from '../../catalog/listed-sessions.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { fileOf, findSources, unlistedPaths } from '../../hub/find-sources.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../foreign-ports.ts';
import { remoteOfRoot } from '../git-state.ts';
import { type AnyRow, ORDERS } from './any-row.ts';
import type { FoundDrafts, Looked, RowDraft, UnreadSource } from './draft.ts';
import type { ForeignDrafts } from './foreign-drafts.ts';
import { foreignTitles, hiddenSessions } from './foreign-notes.ts';
import type { HeadMemory } from './head-memory.ts';
import { listedHead } from './listed-head.ts';
import { mayBeImport } from './may-be-import.ts';
import { OwnRows } from './own-rows.ts';
import type { SessionOrder } from './session-row.ts';
import { notedSubagents } from './subagent-imports.ts';

/** A place in which sessions may be, and cannot be looked at. `reason`: as the end of a sentence after the path. */
export interface UnreadablePlace {
  readonly path: string;
  readonly reason: string;
}

export interface AllListed {
  readonly rows: readonly AnyRow[];
  readonly unreadable: readonly UnreadablePlace[];
}

/** All rows in their order, and what is said of those that are shown alone. */
interface RowsInOrder extends AllListed {
  complete(rows: readonly AnyRow[]): Promise<AnyRow[]>;
}

/** What is remembered from one list to the next. */
export interface ListMemory {
  readonly own: OwnRows;
  readonly heads: HeadMemory;
  readonly foreign?: ForeignDrafts | undefined;
}

export interface ListAllOptions {
  /** Only sessions of this program. */
  readonly agent?: string | undefined;
  /**
   * Only those of this directory, absolute, and of those below; of the root of a repository, also those of its other
   * clones, as far as a session in one says what it is a clone of.
   */
  readonly project?: string | undefined;
  /** Only those in which something happened since. Milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Whether sessions of other programs are listed that the user has hidden. */
  readonly withHidden?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly sort?: SessionOrder | undefined;
  /** Of a program that lists again and again. Without one, each list is made from the files. */
  readonly memory?: ListMemory | undefined;
  readonly signal?: AbortSignal | undefined;
}

const HEADS_AT_ONCE = 64;

/**
 * Newest activity first by default. Sessions of subagents are left out: they belong to the session that began them.
 * Of `agent: 'ollm'` every journal is listed, imports too.
 *
 * @example
 * const { rows } = await listAll(app, { project: process.cwd(), limit: 20 });
 * @throws OllmError USAGE (there is no such agent), INTERRUPTED
 */
export async function listAll(app: App, options: ListAllOptions = {}): Promise<AllListed> {
  const { rows, unreadable, complete } = await rowsInOrder(app, options);
  return { rows: await complete(rows.slice(0, options.limit)), unreadable };
}

/** The same for a caller that shows some of them: `limit` says how many of the first must be right. */
export async function rowsInOrder(app: App, options: ListAllOptions = {}): Promise<RowsInOrder> {
  const { agent, limit = Number.POSITIVE_INFINITY, sort = 'activity', memory } = options;
  const ours = memory?.own ?? new OwnRows(app);
  const own = agent === undefined || agent === OWN_AGENT ? await ours.rows() : [];
  const names = agent === undefined ? AGENT_NAMES : agent === OWN_AGENT ? [] : [agent];
  const drafts: RowDraft[] = [];
  const unreadable: UnreadablePlace[] = [];
  const imports = await ours.ids();
  const merged = new Set<string>();
  const catalog = memory?.foreign?.catalogStamp() ?? '';
  for (const name of names) {
    const agent = await loadAgent(name);
    const all = () => draftsOf(app, agent, imports);
    const found = memory?.foreign
      ? await memory.foreign.of({
          ...{ agent: name, imports, catalog, all, places: agent.places(foreignPorts(app).surroundings) },
          again: (draft) => lookedAgain(app, draft, imports),
        })
      : await all();
    drafts.push(...found.drafts);
    unreadable.push(...found.unreadable);
    for (const id of found.subagents) merged.add(importedId(name, id));
  }
  // The row of a session that was imported is that of its source.
  for (const { row } of drafts) if (row.importId !== undefined) merged.add(row.importId);
  const unexplained = own.flatMap(({ id }) => (mayBeImport(id) && !merged.has(id) ? [id] : []));
  if (names.length > 0) for (const id of await notedSubagents(app, new Set(unexplained))) merged.add(id);
  const hidden = options.withHidden ? new Set() : hiddenSessions(app);
  const { sinceMs, project } = options;
  const remote = project === undefined ? undefined : remoteOfRoot(app.fileSystem, project);
  const listed = own.filter(({ id }) => !merged.has(id));
  const shown = [
    ...(remote === undefined ? listed : ours.withRemotes(listed)).map((row) => ({ row })),
    ...drafts.filter(({ row }) => !hidden.has(row.address)),
  ];
  const isRecent = ({ lastActivity = '' }: AnyRow) => sinceMs === undefined || Date.parse(lastActivity) >= sinceMs;
  // A file changes with what happens in its session: nothing in it is newer.
  const recent = shown.filter(({ row }) => isRecent(row));
  // Any of them may say that its directory is another clone.
  const isOfProject = project === undefined || remote !== undefined ? () => true : isIn([project]);
  const enough = sort === 'activity' && remote === undefined ? limit : Number.POSITIVE_INFINITY;
  const isWanted = (row: AnyRow) => isRecent(row) && isOfProject(row);
  const titles = foreignTitles(app);
  const reading = { isWanted, enough, heads: memory?.heads, signal: options.signal };
  const read = (await finished(app, recent, reading)).map((row) => {
    const title = titles.get(row.address);
    return title === undefined ? row : { ...row, title };
  });
  const clones = read.flatMap((row) => (row.remote === remote && row.project !== undefined ? [row.project] : []));
  const rows = project === undefined || remote === undefined ? read : read.filter(isIn([project, ...new Set(clones)]));
  return { rows: rows.sort(ORDERS[sort]), unreadable, complete: (some) => ours.complete(some) };
}

function isIn(directories: readonly string[]): (row: AnyRow) => boolean {
  return ({ project }) => project !== undefined && directories.some((directory) => isInside(directory, project));
}

async function draftsOf(app: App, agent: Agent, imports: ReadonlySet<string>): Promise<FoundDrafts> {
  const drafts: RowDraft[] = [];
  const subagents: string[] = [];
  const unreadable: UnreadablePlace[] = [];
  for (const found of findSources(agent, foreignPorts(app))) {
    const known = await catalogued(app, agent.name, found.directory);
    for (const source of found.sources) {
      const row = known.get(source.id);
      known.delete(source.id);
      if (source.parent === undefined) drafts.push(draftOf(app, { agent, source, known: row, imports }));
      else subagents.push(source.id);
    }
    const unlisted = unlistedPaths(found);
    for (const row of known.values()) {
      const isUnlisted = unlisted.some((path) => isInside(path, row.path ?? found.directory));
      if (row.parent !== null) subagents.push(row.id);
      else if (row.state === 'gone' || isUnlisted) drafts.push({ row: goneRow(agent, row, imports) });
    }
    unreadable.push(...found.unreadable);
  }
  return { drafts, subagents, unreadable };
}

async function catalogued(app: App, agent: string, directory: string): Promise<Map<string, CataloguedSession>> {
  const outcome = await app.catalog.ask((database) => cataloguedSessions(database, { agent, directory }));
  return outcome.kind === 'done' ? outcome.value : new Map();
}

/** The same draft if its file has not changed. */
function lookedAgain(app: App, draft: RowDraft, imports: ReadonlySet<string>): RowDraft {
  const { looked } = draft;
  if (looked === undefined) return draft;
  const file = fileOf(looked.agent, looked.source, app);
  const { inode, size, changedNs } = looked.file ?? {};
  const isSame = file?.inode === inode && file?.size === size && file?.changedNs === changedNs;
  return isSame ? draft : draftOf(app, { ...looked, imports });
}

function draftOf(
  { fileSystem }: App,
  { agent, source, known, imports }: Omit<Looked, 'file'> & { readonly imports: ReadonlySet<string> },
): RowDraft {
  const file = fileOf(agent, source, { fileSystem });
  const looked = { agent, source, file, known };
  const isKnown = known !== undefined && known.state === 'here' && isOfFile(known, file);
  const importId = importedId(agent.name, source.id);
  const row: AnyRow = {
    ...(known === undefined ? UNKNOWN : rowOf(agent.name, known)),
    address: formatAddress({ agent: agent.name, id: source.id }),
    agent: agent.name,
    id: source.id,
    bytes: file?.size,
    importId: imports.has(importId) ? importId : undefined,
    gone: false,
    locked: false,
    problem: undefined,
  };
  if (isKnown) return { row, looked };
  // The file has changed: what the catalogue counted was true of an earlier state of it.
  const lastActivity = file && timeIn(Number(file.changedNs / 1_000_000n));
  return { row: { ...row, lastActivity, messageCount: undefined }, unread: { agent, source, file }, looked };
}

function goneRow({ name }: Agent, known: CataloguedSession, imports: ReadonlySet<string>): AnyRow {
  const { id } = known;
  const importId = importedId(name, id);
  return {
    ...rowOf(name, known),
    address: formatAddress({ agent: name, id }),
    agent: name,
    id,
    bytes: known.size ?? undefined,
    importId: imports.has(importId) ? importId : undefined,
    gone: true,
    locked: false,
    problem: undefined,
  };
}

type Told = Pick<
  AnyRow,
  | 'programId'
  | 'title'
  | 'project'
  | 'branch'
  | 'remote'
  | 'parent'
  | 'model'
  | 'startTime'
  | 'lastActivity'
  | 'messageCount'
>;

const UNKNOWN: Told = {
  programId: undefined,
  title: undefined,
  project: undefined,
  branch: undefined,
  remote: undefined,
  parent: undefined,
  model: undefined,
  startTime: undefined,
  lastActivity: undefined,
  messageCount: undefined,
};

function rowOf(agent: string, known: CataloguedSession): Told {
  const { programId, title, project, branch, remote, forkedFrom, model, started, lastActivity, messages, changed } =
    known;
  return {
    programId: programId ?? undefined,
    title: title ?? undefined,
    project: project ?? undefined,
    branch: branch ?? undefined,
    remote: remote ?? undefined,
    parent: forkedFrom === null ? undefined : formatAddress({ agent, id: forkedFrom }),
    model: model ?? undefined,
    startTime: started === null ? undefined : new Date(started).toISOString(),
    // Where no record has a time, that of the file.
    lastActivity: timeIn(lastActivity ?? (changed === null ? undefined : changed / 1e6)),
    messageCount: messages ?? undefined,
  };
}

/** The rows that are wanted: all of them, or at least the newest `enough`. */
async function finished(
  app: App,
  drafts: readonly RowDraft[],
  {
    isWanted,
    enough,
    heads,
    signal,
  }: {
    readonly isWanted: (row: AnyRow) => boolean;
    readonly enough: number;
    readonly heads: HeadMemory | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<AnyRow[]> {
  const rows = drafts.flatMap(({ row, unread }) => (unread === undefined && isWanted(row) ? [row] : []));
  const unreadDrafts = drafts.filter(({ unread }) => unread !== undefined);
  unreadDrafts.sort((a, b) => ORDERS.activity(a.row, b.row));
  for (const [index, { row, unread }] of unreadDrafts.entries()) {
    if (index % HEADS_AT_ONCE === 0) {
      await breathe();
      if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
      if (rows.filter(({ lastActivity = '' }) => lastActivity >= (row.lastActivity ?? '')).length >= enough) break;
    }
    const read = await withHead(app, row, unread!, heads);
    if (isWanted(read)) rows.push(read);
  }
  return rows;
}

async function withHead(
  app: App,
  row: AnyRow,
  { agent, source, file }: UnreadSource,
  heads: HeadMemory | undefined,
): Promise<AnyRow> {
  try {
    const read = () => listedHead(app, agent, source);
    const head = heads === undefined || file === undefined ? await read() : await heads.of(row.address, file, read);
    return {
      ...row,
      programId: source.ownId ?? head.printedId ?? row.programId,
      title: head.title ?? row.title,
      project: row.project ?? head.cwd,
      branch: head.branch ?? row.branch,
      remote: head.remote ?? row.remote,
      parent: head.forkedFrom === undefined ? row.parent : formatAddress({ agent: agent.name, id: head.forkedFrom }),
      model: head.model ?? row.model,
      startTime: timeIn(head.startedAt) ?? row.startTime,
      lastActivity: timeIn(head.lastActivity) ?? row.lastActivity,
    };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return { ...row, problem: error.message };
  }
}

/** A record may hold any text. */
/** `time`: RFC 3339, or milliseconds. */
function timeIn(time: string | number | undefined): string | undefined {
  const ms = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
