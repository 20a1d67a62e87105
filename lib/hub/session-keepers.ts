// The programs that keep sessions here, one after the other. Whatever goes over their sessions (lists, searches,
// imports, completion) takes them from here, so that the directories of each are looked through in one place, and once.
import type { Agent, Source } from '../agents/agent.ts';
import { discoverIn } from '../agents/discover.ts';
import { AGENT_NAMES, loadAgent } from '../agents/registry.ts';
import { type ForeignPorts, type FoundSources, findSources, isThere, placesOf } from './find-sources.ts';

/** A program, and the directories of its sessions, whether they exist or not. */
export interface SessionKeeper {
  readonly agent: Agent;
  readonly directories: readonly string[];
  /** Sessions by their directories. The first call looks through them; later calls return the same. */
  places(): readonly FoundSources[];
  /** The sessions of all places. */
  sources(): readonly Source[];
  /** Whether it has a session. Looks no further than to the first one. */
  hasAny(): boolean;
}

/**
 * These programs, or all. The module of each is loaded when its turn comes.
 *
 * @example
 * for await (const keeper of sessionKeepers(ports)) count += keeper.sources().length;
 * @throws OllmError USAGE of a name that no program has
 */
export async function* sessionKeepers(
  ports: ForeignPorts,
  names: readonly string[] = AGENT_NAMES,
): AsyncGenerator<SessionKeeper, void, void> {
  for (const name of names) yield await sessionKeeper(ports, name);
}

/** @throws OllmError USAGE of a name that no program has */
export async function sessionKeeper(given: ForeignPorts, name: string): Promise<SessionKeeper> {
  const agent = await loadAgent(name);
  const ports = agent.isInProjects === true ? await withProjects(given) : given;
  const all = placesOf(agent, ports);
  // Most projects have no session of it.
  const directories = agent.isInProjects === true ? all.filter((path) => isThere(ports.files.fileSystem, path)) : all;
  let found: readonly FoundSources[] | undefined;
  const places = () => (found ??= findSources(agent, ports, directories));
  return {
    agent,
    directories,
    places,
    sources: () => places().flatMap(({ sources }) => sources),
    hasAny: () => directories.some((directory) => hasSource(agent, directory, ports)),
  };
}

async function withProjects(ports: ForeignPorts): Promise<ForeignPorts> {
  const projects = (await ports.projects?.()) ?? [];
  return { ...ports, surroundings: { ...ports.surroundings, projects } };
}

function hasSource(agent: Agent, directory: string, { files }: ForeignPorts): boolean {
  for (const { kind } of discoverIn(agent, directory, files)) if (kind === 'source') return true;
  return false;
}
