// The programs that keep sessions here, one after the other. All that goes over their sessions (lists, searches, syncs,
// imports, completion) takes them from here, so that the directories of each are looked through in one place, and once.
import type { Agent, Source } from '../agents/agent.ts';
import { discoverIn } from '../agents/discover.ts';
import { AGENT_NAMES, loadAgent } from '../agents/registry.ts';
import { type ForeignPorts, type FoundSources, findSources, isThere, placesOf } from './find-sources.ts';
import type { SessionPlace } from './sources.ts';

/** A directory in which a program keeps sessions, whether it exists or not. */
interface ForeignPlace extends SessionPlace {
  /** The first call looks through all places of the program; later calls return the same, and so does `list`. */
  found(): FoundSources;
}

/** A program, and the places of its sessions. */
export interface SessionKeeper {
  readonly agent: Agent;
  readonly places: readonly ForeignPlace[];
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
  const known = placesOf(agent, ports);
  // Most projects have no session of it.
  const directories =
    agent.isInProjects === true ? known.filter((path) => isThere(ports.files.fileSystem, path)) : known;
  let found: readonly FoundSources[] | undefined;
  const all = () => (found ??= findSources(agent, ports, directories));
  return {
    agent,
    places: directories.map((directory, index) => ({
      agent: agent.name,
      directory,
      vanished: 'keep',
      found: () => all()[index]!,
      async list() {
        const { listedSources } = await import('./foreign-sources.ts');
        return listedSources(agent, all()[index]!, ports);
      },
    })),
    sources: () => all().flatMap(({ sources }) => sources),
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
