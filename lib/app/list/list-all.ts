// `ollm list --all`: sessions of ollm and of other programs in one list. Unchanged files are not read again, because
// the catalogue has their facts; of the others the two ends are read. Nothing is written.
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { formatAddress, importedId } from '../../agents/address.ts';
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { type CataloguedSession, cataloguedSessions, isOfFile } from '../../catalog/listed-sessions.ts';
import { isOllmError, type OllmError } from '../../errors/index.ts';
import { fileOf, unlistedPaths } from '../../hub/find-sources.ts';
import { type SessionKeeper, sessionKeepers } from '../../hub/session-keepers.ts';
import { isInside } from '../../platform/files/inside.ts';
import type { App } from '../app.ts';
import { type ProjectReach, reachOfProject } from '../repository/project-reach.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import type { ArrangedRows } from './arranged-rows.ts';
import {
  type FoundDrafts,
  goneKey,
  type LookBefore,
  type Looked,
  type RowDraft,
  sourceKey,
  type UnreadSource,
} from './draft.ts';
import type { ForeignDrafts } from './foreign-drafts.ts';
import { foreignTitles, hiddenSessions } from './foreign-notes.ts';
import { allCopies, type HandedCopy, withSources } from './handover-copies.ts';
import { listedHeads } from './listed-head.ts';
import { mayBeImport } from './may-be-import.ts';
import { OwnRows } from './own-rows.ts';
import { ORDERS, type SessionOrder, type SessionRow } from './session-row.ts';
import { notedSubagents } from './subagent-imports.ts';

/** A place in which sessions may be, and cannot be looked at. `reason`: as the end of a sentence after the path. */
export interface UnreadablePlace {
  readonly path: string;
  readonly reason: string;
}

export interface AllListed {
  readonly rows: readonly SessionRow[];
  readonly unreadable: readonly UnreadablePlace[];
}

/** All rows in their order, and further facts for those that are shown. */
interface RowsInOrder extends AllListed {
  complete(rows: readonly SessionRow[]): Promise<SessionRow[]>;
}

/** The memory between two lists. */
export interface ListMemory {
  readonly own: OwnRows;
  readonly foreign?: ForeignDrafts | undefined;
  readonly arranged?: ArrangedRows | undefined;
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
  const { rows, unreadable, complete } = await rowsInOrder(app, options);
  return { rows: await complete(rows.slice(0, options.limit)), unreadable };
}

/** Like `listAll` for a caller that shows some rows: `limit` is the number of the first rows that must be right. */
export async function rowsInOrder(app: App, options: ListAllOptions = {}): Promise<RowsInOrder> {
  const { agent, sort = 'activity', limit, memory, sinceMs, project, withHidden, withCopies } = options;
  const ours = memory?.own ?? new OwnRows(app);
  const names = agent === undefined ? undefined : agent === OWN_AGENT ? [] : [agent];
  const fileSystem = memory?.foreign?.fileSystem ?? app.fileSystem;
  const keepers = options.keepers ?? sessionKeepers(foreignPorts({ ...app, fileSystem }), names);
  const imports = await ours.ids();
  const founds = await foundOf(app, keepers, { imports, foreign: memory?.foreign });
  const isOfSource = (id: string) => founds.some((found) => mergedOf(found).has(id));
  const isOfAgent = (id: string) => agent === undefined || agent === OWN_AGENT || id.startsWith(`${agent}-`);
  const isAsked = agent === undefined || agent === OWN_AGENT;
  // Where one program is asked for, few have imports of it without a source.
  const own = isAsked || [...imports].some((id) => isOfAgent(id) && !isOfSource(id)) ? await ours.rows() : NONE;
  const unexplained = own.flatMap(({ id }) => (mayBeImport(id) && !isOfSource(id) ? [id] : []));
  const subagents = new Set(agent !== OWN_AGENT ? await notedSubagents(app, new Set(unexplained)) : []);
  const hidden = withHidden ? new Set<string>() : hiddenSessions(app);
  const titles = foreignTitles(app);
  const copies = await allCopies(app);
  const reach = project === undefined ? undefined : reachOfProject(app.fileSystem, project);
  const remote = reach?.remote;
  const listed = (rows: readonly SessionRow[]) => {
    if (agent === OWN_AGENT) return rows;
    const named = rows.map((row) => ours.asSource(row));
    return agent === undefined ? named : named.filter((row) => row.agent === agent);
  };
  const arrange = () =>
    arranged(app, {
      ...{ own: listed(own.filter(({ id }) => !isOfSource(id) && !subagents.has(id))), founds, hidden, titles, copies },
      ...{ reach, ours, options },
    });
  const inputs = [own, ...founds, lines(subagents), lines(hidden), lines([...titles].flat()), lines(copies.keys())];
  // Which repository a directory belongs to may change without a session.
  const isRemembered = memory?.arranged !== undefined && remote === undefined;
  const rows = isRemembered
    ? await memory.arranged!.of(
        JSON.stringify([agent, reach?.roots, sinceMs, withHidden, withCopies, sort, limit]),
        inputs,
        arrange,
      )
    : (await arrange()).rows;
  return { rows, unreadable: founds.flatMap((found) => found.unreadable), complete: (some) => ours.complete(some) };
}

const NONE: readonly SessionRow[] = [];

function lines(texts: Iterable<string>): string {
  return [...texts].join('\n');
}

/** What each of these programs has. */
async function foundOf(
  app: App,
  keepers: Iterable<SessionKeeper> | AsyncIterable<SessionKeeper>,
  { imports, foreign }: { readonly imports: ReadonlySet<string>; readonly foreign: ForeignDrafts | undefined },
): Promise<readonly FoundDrafts[]> {
  const stampOf = (await foreign?.catalogStamps()) ?? (() => '');
  const founds: FoundDrafts[] = [];
  for await (const keeper of keepers) {
    const { agent, directories } = keeper;
    const all = (before?: LookBefore) => draftsOf(app, keeper, { imports, before });
    const found = foreign
      ? await foreign.of({
          ...{ agent: agent.name, imports, catalog: stampOf(agent.name), all, places: directories },
          again: (draft) => lookedAgain(app, draft, imports),
        })
      : await all();
    founds.push(found);
  }
  return founds;
}

/** Ids of journals whose sessions are in the list as those of their source. */
function mergedOf(found: FoundDrafts): ReadonlySet<string> {
  const known = MERGED.get(found);
  if (known !== undefined) return known;
  const merged = new Set(found.subagents.map((id) => importedId(found.agent, id)));
  for (const { row } of found.drafts) if (row.importId !== undefined) merged.add(row.importId);
  MERGED.set(found, merged);
  return merged;
}

const MERGED = new WeakMap<FoundDrafts, ReadonlySet<string>>();

interface Arranging {
  readonly own: readonly SessionRow[];
  readonly founds: readonly FoundDrafts[];
  readonly hidden: ReadonlySet<string>;
  readonly titles: ReadonlyMap<string, string>;
  readonly copies: ReadonlyMap<string, HandedCopy>;
  /** The directories of the project in `options`. */
  readonly reach: ProjectReach | undefined;
  readonly ours: OwnRows;
  readonly options: ListAllOptions;
}

/** The rows that `options` asks for, in their order. `isLasting`: whether the same files give the same rows. */
async function arranged(
  app: App,
  { own, founds, hidden, titles, copies, reach, ours, options }: Arranging,
): Promise<{ readonly rows: readonly SessionRow[]; readonly isLasting: boolean }> {
  const { limit = Number.POSITIVE_INFINITY, sort = 'activity', sinceMs, withHidden, withCopies, signal } = options;
  const remote = reach?.remote;
  const isRecent = ({ lastActivity = '' }: SessionRow) => sinceMs === undefined || Date.parse(lastActivity) >= sinceMs;
  // Any of them may say that its directory is another clone.
  const isOfProject = reach === undefined || remote !== undefined ? () => true : isIn(reach.roots);
  const isWanted = (row: SessionRow) => isOfProject(row) && isRecent(row);
  const enough = sort === 'activity' && remote === undefined ? limit : Number.POSITIVE_INFINITY;
  const rows = (remote === undefined ? own : ours.withRemotes(own)).filter(isWanted);
  const unread: (RowDraft & { readonly unread: UnreadSource })[] = [];
  for (const { drafts } of founds) {
    for (const draft of drafts) {
      const { row } = draft;
      if (hidden.has(row.address)) continue;
      if (draft.unread === undefined) {
        if (isWanted(row)) rows.push(row);
        // A file changes with what happens in its session: nothing in it is newer.
      } else if (isRecent(row)) unread.push({ ...draft, unread: draft.unread });
    }
  }
  const isLasting = await addUnread(app, rows, { unread, isWanted, enough, signal });
  const listed = withSources(rows, copies, { withUnchanged: withHidden === true || withCopies === true });
  const titled = titles.size === 0 ? listed : listed.map((row) => withTitle(row, titles.get(row.address)));
  if (reach === undefined || remote === undefined) return { rows: titled.sort(ORDERS[sort]), isLasting };
  const clones = titled.flatMap((row) => (row.remote === remote && row.project !== undefined ? [row.project] : []));
  return { rows: titled.filter(isIn([...reach.roots, ...new Set(clones)])).sort(ORDERS[sort]), isLasting };
}

function withTitle(row: SessionRow, title: string | undefined): SessionRow {
  return title === undefined ? row : { ...row, title };
}

function isIn(directories: readonly string[]): (row: SessionRow) => boolean {
  return ({ project }) => project !== undefined && directories.some((directory) => isInside(directory, project));
}

interface DraftsOptions {
  readonly imports: ReadonlySet<string>;
  /** Undefined: every file is looked at. */
  readonly before: LookBefore | undefined;
}

async function draftsOf(app: App, { agent, places }: SessionKeeper, options: DraftsOptions): Promise<FoundDrafts> {
  const { before } = options;
  const drafts: RowDraft[] = [];
  const subagents: string[] = [];
  const unreadable: UnreadablePlace[] = [];
  const rows = new Map<string, ReadonlyMap<string, CataloguedSession>>();
  for (const found of places()) {
    const { directory } = found;
    const known = before?.catalogued?.get(directory) ?? (await catalogued(app, agent.name, directory));
    rows.set(directory, known);
    const left = new Map(known);
    for (const source of found.sources) {
      left.delete(source.id);
      if (source.parent !== undefined) subagents.push(source.id);
      else drafts.push(sourceDraft(app, { agent, directory, source, known: known.get(source.id) }, options));
    }
    const unlisted = unlistedPaths(found);
    for (const row of left.values()) {
      const isUnlisted = unlisted.some((path) => isInside(path, row.path ?? directory));
      if (row.parent !== null) subagents.push(row.id);
      else if (row.state === 'gone' || isUnlisted) drafts.push(goneDraft(agent, { directory, known: row }, options));
    }
    unreadable.push(...found.unreadable);
  }
  return { agent: agent.name, drafts, subagents, catalogued: rows, unreadable };
}

/** Returns the earlier draft if neither its directory nor its row of the catalogue has changed. */
function sourceDraft(app: App, looked: Omit<Looked, 'file'>, { imports, before }: DraftsOptions): RowDraft {
  if (before === undefined) return draftOf(app, { ...looked, imports });
  const { agent, source, known } = looked;
  const draft = before.drafts.get(sourceKey(source));
  const isSame =
    draft?.looked !== undefined &&
    isEqual(draft.looked.source, source) &&
    isEqual(draft.looked.known, known) &&
    isImported(draft, imports);
  if (!isSame) return draftOf(app, { ...looked, imports });
  const isChanged = before.isChanged(dirname(source.path)) || agent.stored(source).kind === 'rows';
  return isChanged ? lookedAgain(app, draft, imports) : draft;
}

function goneDraft(
  agent: Agent,
  remembered: Required<RowDraft>['remembered'] & object,
  { imports, before }: DraftsOptions,
): RowDraft {
  const { directory, known } = remembered;
  const draft = before?.drafts.get(goneKey(directory, known.id));
  const isSame = isDeepStrictEqual(draft?.remembered, remembered) && isImported(draft!, imports);
  return isSame ? draft! : { row: goneRow(agent, known, imports), remembered };
}

/** As `isDeepStrictEqual`, which takes longer for the many that hold no object. */
function isEqual<Members extends Source | CataloguedSession>(one: Members | undefined, other: Members | undefined) {
  if (one === other || one === undefined || other === undefined) return one === other;
  const names = Object.keys(one) as (keyof Members)[];
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => one[name] === other[name] || isDeepStrictEqual(one[name], other[name]));
}

/** Whether its row says rightly which journal it was imported into. */
function isImported({ row }: RowDraft, imports: ReadonlySet<string>): boolean {
  const importId = importedId(row.agent, row.id);
  return row.importId === (imports.has(importId) ? importId : undefined);
}

async function catalogued(app: App, agent: string, directory: string): Promise<Map<string, CataloguedSession>> {
  const outcome = await app.catalog.ask((database) => cataloguedSessions(database, { agent, directory }));
  return outcome.kind === 'done' ? outcome.value : new Map();
}

/** Returns the same draft if its file has not changed. */
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
  { agent, directory, source, known, imports }: Omit<Looked, 'file'> & { readonly imports: ReadonlySet<string> },
): RowDraft {
  const file = fileOf(agent, source, { fileSystem });
  const looked = { agent, directory, source, file, known };
  const isKnown = known !== undefined && known.state === 'here' && isOfFile(known, file);
  const importId = importedId(agent.name, source.id);
  const row: SessionRow = {
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
  // The file has changed: the counts of the catalogue belong to an earlier state.
  const lastActivity = file && timeIn(Number(file.changedNs / 1_000_000n));
  return { row: { ...row, lastActivity, messageCount: undefined }, unread: { agent, directory, source, file }, looked };
}

function goneRow({ name }: Agent, known: CataloguedSession, imports: ReadonlySet<string>): SessionRow {
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
  SessionRow,
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

/**
 * Adds those whose files have to be read: all that are wanted, or until there are `enough` that are newer. Returns
 * whether the same files give the same rows.
 */
async function addUnread(
  app: App,
  rows: SessionRow[],
  {
    unread: drafts,
    isWanted,
    enough,
    signal,
  }: {
    readonly unread: (RowDraft & { readonly unread: UnreadSource })[];
    readonly isWanted: (row: SessionRow) => boolean;
    readonly enough: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<boolean> {
  let isLasting = true;
  drafts.sort((a, b) => ORDERS.activity(a.row, b.row));
  // Each look into the catalogue opens it: the more were not enough, the more are looked up together.
  for (let from = 0, count = FIRST_HEADS; from < drafts.length; from += count, count = 2 * from) {
    const { lastActivity: newest = '' } = drafts[from]!.row;
    if (rows.filter(({ lastActivity = '' }) => lastActivity >= newest).length >= enough) break;
    const some = drafts.slice(from, from + count);
    const unknown = some.flatMap(({ unread }) => (unread.row === undefined ? [unread] : []));
    const heads = await listedHeads(app, unknown, signal);
    for (const { row, unread } of some) {
      const { head, isLasting: lasts = true } = heads.get(unread) ?? {};
      const read = unread.row ?? withHead(row, unread, head!);
      if (lasts && !isOllmError(head)) unread.row = read;
      isLasting &&= lasts;
      if (isWanted(read)) rows.push(read);
    }
  }
  return isLasting;
}

function withHead(row: SessionRow, { agent, source }: UnreadSource, head: Head | OllmError): SessionRow {
  if (isOllmError(head)) return { ...row, problem: head.message };
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
}

/** A record may hold any text. `time`: RFC 3339, or milliseconds. */
function timeIn(time: string | number | undefined): string | undefined {
  const ms = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
