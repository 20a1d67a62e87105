// `ollm agents`: which other programs keep sessions here, where, and how many. Looks at directories and reads the ends
// of one file of each program; writes nothing.

import { formatAddress } from '../../agents/address.ts';
import type { Agent, Head, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { AGENT_NAMES, loadAgent } from '../../agents/registry.ts';
import { isOllmError } from '../../errors/index.ts';
import { type ForeignPorts, findSources } from '../../hub/find-sources.ts';
import { fileAt } from '../../hub/foreign-sessions.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../foreign-ports.ts';
import type { UnreadablePlace } from './list-all.ts';

export interface AgentRow {
  /** What comes before `:` in an address. */
  readonly name: string;
  /** As its maker writes it. */
  readonly title: string;
  readonly places: readonly { readonly directory: string; readonly exists: boolean }[];
  readonly sessions: number;
  /** Sessions that one of them began for a part of its work; not among `sessions`. */
  readonly subagents: number;
  /** Of all files that hold sessions. */
  readonly bytes: number;
  /** Address of the session that changed last. */
  readonly newest: string | undefined;
  /** RFC 3339: when something last happened in it. */
  readonly lastActivity: string | undefined;
  /** Of the program that wrote it, as far as it says. */
  readonly version: string | undefined;
  /** What cannot be read, and why. */
  readonly unreadable: readonly UnreadablePlace[];
}

/** Every program whose sessions can be read, whether it has any here or not. */
export async function listAgents(app: App): Promise<AgentRow[]> {
  const ports = foreignPorts(app);
  return Promise.all(AGENT_NAMES.map(async (name) => rowOf(await loadAgent(name), ports)));
}

function rowOf(agent: Agent, ports: ForeignPorts): AgentRow {
  const { fileSystem } = ports.files;
  const found = findSources(agent, ports);
  const sources = found.flatMap((place) => place.sources);
  const unreadable = found.flatMap((place) => place.unreadable);
  const { bytes, newest } = filesOf(sources, fileSystem);
  const head = newest && headOf(agent, newest, ports, unreadable);
  return {
    name: agent.name,
    title: agent.title,
    places: found.map(({ directory }) => ({ directory, exists: isThere(fileSystem, directory) })),
    sessions: sources.filter(({ parent }) => parent === undefined).length,
    subagents: sources.filter(({ parent }) => parent !== undefined).length,
    bytes,
    newest: newest && formatAddress({ agent: agent.name, id: newest.id }),
    lastActivity: head?.lastActivity,
    version: head?.version,
    unreadable,
  };
}

/** Several sessions may be in one file. */
function filesOf(
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
    const file = fileAt(fileSystem, source.path);
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
    if (!isOllmError(error)) throw error;
    const reason = error.message.replace(`${source.path} `, '').replace(/\.$/, '');
    unreadable.push({ path: source.path, reason });
    return undefined;
  }
}

function isThere(fileSystem: ForeignPorts['files']['fileSystem'], path: string): boolean {
  try {
    return fileSystem.stat(path) !== undefined;
  } catch {
    return false;
  }
}
