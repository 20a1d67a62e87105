// `ollm agents`: the other programs with sessions here, with places and numbers, catalogued and imported sessions, and
// parts that their modules do not understand yet. The last follows from the newest session of each program, or from all
// of them; nothing is written.
import { setImmediate as breathe } from 'node:timers/promises';
import { formatAddress } from '../../agents/address.ts';
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { openForeign } from '../../agents/open-foreign.ts';
import { AGENT_NAMES } from '../../agents/registry.ts';
import { cataloguedSessions } from '../../catalog/listed-sessions.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { type ForeignPorts, fileOf } from '../../hub/find-sources.ts';
import { type SessionKeeper, sessionKeepers } from '../../hub/session-keepers.ts';
import type { App } from '../app.ts';
import { type RunnableAgent, runnableAgent } from '../start/agent-program.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { type ImportSizes, importSizes } from './import-sizes.ts';
import type { UnreadablePlace } from './list-all.ts';
import { listAll } from './list-all.ts';

export interface AgentRow {
  /** The text before `:` in an address. */
  readonly name: string;
  /** As its maker writes it. */
  readonly title: string;
  readonly places: readonly { readonly directory: string; readonly exists: boolean }[];
  readonly sessions: number;
  /** Sessions that one of them began for a part of its work; not among `sessions`. */
  readonly subagents: number;
  /** The bytes of all files that hold sessions. */
  readonly bytes: number;
  /** How many of `sessions` the catalogue has, so that a search finds their texts. */
  readonly catalogued: number;
  /** Sessions that only the catalogue remembers: their sources have vanished. */
  readonly gone: number;
  readonly imports: ImportSizes;
  /** Address of the session that changed last. */
  readonly newest: string | undefined;
  /** RFC 3339: when something last happened in it. */
  readonly lastActivity: string | undefined;
  /** The version of the program that wrote it, if it is recorded. */
  readonly version: string | undefined;
  /** How much of the newest session, or of all, the module understands; undefined where none can be read. */
  readonly understanding: Understanding | undefined;
  /** How ollm can run it; undefined for one whose sessions it only reads. */
  readonly run: RunnableAgent | undefined;
  /** What cannot be read, and why. */
  readonly unreadable: readonly UnreadablePlace[];
}

interface Understanding {
  /** How many were looked at for it. */
  readonly sessions: number;
  readonly records: number;
  /**
   * Types of records (`progress/hook`), and members of a type (`user toolUseResult`), of which the module does not know
   * whether they say anything, and in how many records they are.
   */
  readonly notUnderstood: Readonly<Record<string, number>>;
}

interface ListAgentsOptions {
  /** Reads all sessions of each program, with those of subagents, for parts that are not understood. */
  readonly report?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each session that is read for the report. */
  readonly onProgress?: ((progress: { done: number; total: number; address: string }) => void) | undefined;
}

/** A newest session that is larger is not read unasked. */
const MAX_NEWEST_BYTES = 64 * 2 ** 20;

/**
 * Every program whose sessions can be read, whether it has any here or not.
 * @throws OllmError INTERRUPTED
 */
export async function listAgents(app: App, options: ListAgentsOptions = {}): Promise<AgentRow[]> {
  const ports = foreignPorts(app);
  const imports = await importSizes(app, AGENT_NAMES);
  const rows: AgentRow[] = [];
  for await (const keeper of sessionKeepers(ports)) {
    rows.push(await rowOf(app, keeper, { ports, imports: imports.get(keeper.agent.name)!, ...options }));
  }
  return rows;
}

type RowOptions = ListAgentsOptions & { readonly ports: ForeignPorts; readonly imports: ImportSizes };

async function rowOf(app: App, keeper: SessionKeeper, options: RowOptions): Promise<AgentRow> {
  const { ports, imports } = options;
  const { fileSystem } = ports.files;
  const { agent, places } = keeper;
  const sources = keeper.sources();
  const unreadable = places.flatMap((place) => place.found().unreadable);
  // By the times that its records have, as in a list: those of the files are of the copying in a restored home.
  const [latest] = (await listAll(app, { agent: agent.name, keepers: [keeper], limit: 1, withHidden: true })).rows;
  const files = filesOf(agent, sources, fileSystem);
  const newest = sources.find((source) => isNoSubagent(source) && source.id === latest?.id) ?? files.newest;
  const newestBytes = (newest && fileOf(agent, newest, { fileSystem })?.size) ?? 0;
  const head = newest && headOf(agent, newest, ports, unreadable);
  const looked = options.report ? sources : newest && newestBytes <= MAX_NEWEST_BYTES ? [newest] : [];
  return {
    name: agent.name,
    title: agent.title,
    places: places.map(({ directory, found }) => ({ directory, exists: !found().isMissing })),
    sessions: sources.filter(isNoSubagent).length,
    subagents: sources.filter((source) => !isNoSubagent(source)).length,
    bytes: files.bytes,
    ...(await cataloguedOf(app, keeper)),
    imports,
    newest: newest && formatAddress({ agent: agent.name, id: newest.id }),
    lastActivity: newest?.id === latest?.id ? latest?.lastActivity : head?.lastActivity,
    version: head?.version,
    understanding: await understandingOf(agent, looked, unreadable, options),
    run: runnableAgent(app, agent.name),
    unreadable,
  };
}

function isNoSubagent({ parent }: Source): boolean {
  return parent === undefined;
}

async function cataloguedOf(
  { catalog }: App,
  { agent, places }: SessionKeeper,
): Promise<Pick<AgentRow, 'catalogued' | 'gone'>> {
  let catalogued = 0;
  let gone = 0;
  for (const { directory, sources } of places.map((place) => place.found())) {
    const outcome = await catalog.ask((database) => cataloguedSessions(database, { agent: agent.name, directory }));
    if (outcome.kind !== 'done') continue;
    const known = outcome.value;
    const here = new Set(sources.filter(isNoSubagent).map(({ id }) => id));
    for (const { id, state, parent } of known.values()) {
      if (here.has(id)) catalogued += 1;
      else if (state === 'gone' && parent === null) gone += 1;
    }
  }
  return { catalogued, gone };
}

async function understandingOf(
  agent: Agent,
  sources: readonly Source[],
  unreadable: UnreadablePlace[],
  { ports, signal, onProgress }: RowOptions,
): Promise<Understanding | undefined> {
  const notUnderstood: Record<string, number> = {};
  let records = 0;
  let sessions = 0;
  for (const [done, source] of sources.entries()) {
    await breathe();
    onProgress?.({ done, total: sources.length, address: formatAddress(source) });
    const reader = openForeign(agent, source, ports.files);
    try {
      if (signal?.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
      const report = await reader.fidelity();
      sessions += 1;
      records += report.records;
      for (const [name, count] of Object.entries(report.notUnderstood)) {
        notUnderstood[name] = (notUnderstood[name] ?? 0) + count;
      }
    } catch (error) {
      if (isOllmError(error, 'INTERRUPTED')) throw error;
      noteUnreadable(unreadable, source, error);
    } finally {
      reader.close();
    }
  }
  return sessions === 0 ? undefined : { sessions, records, notUnderstood };
}

/** Several sessions may be in one file. */
function filesOf(
  agent: Agent,
  sources: readonly Source[],
  fileSystem: ForeignPorts['files']['fileSystem'],
): { readonly bytes: number; readonly newest: Source | undefined } {
  const seen = new Set<string>();
  let bytes = 0;
  let newest: Source | undefined;
  let newestNs = -1n;
  for (const source of sources) {
    if (seen.has(source.path)) continue;
    seen.add(source.path);
    const file = fileOf(agent, source, { fileSystem });
    bytes += file?.size ?? 0;
    if (file === undefined || file.changedNs <= newestNs || source.parent !== undefined) continue;
    newestNs = file.changedNs;
    newest = source;
  }
  return { bytes, newest };
}

function headOf(
  agent: Agent,
  source: Source,
  { files }: ForeignPorts,
  unreadable: UnreadablePlace[],
): Head | undefined {
  try {
    return readHead(agent, source, files);
  } catch (error) {
    noteUnreadable(unreadable, source, error);
    return undefined;
  }
}

function noteUnreadable(unreadable: UnreadablePlace[], { path }: Source, error: unknown): void {
  if (!isOllmError(error)) throw error;
  if (unreadable.some((place) => place.path === path)) return;
  unreadable.push({ path, reason: error.message.replace(`${path} `, '').replace(/\.$/, '') });
}
