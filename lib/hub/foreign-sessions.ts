// The sessions of other programs as places that sessions come from. Their files are read where they are.
import type { Agent, ForeignPosition, Source } from '../agents/agent.ts';
import { readHead } from '../agents/head.ts';
import { type Checkpoint, openForeign } from '../agents/open-foreign.ts';
import { AGENT_NAMES, loadAgent } from '../agents/registry.ts';
import type { TextSource } from '../catalog/index-session.ts';
import { type ForeignPorts, fileOf, findIn, isThere, sourcesNamed, unlistedPaths } from './find-sources.ts';
import type { ListedSources, SessionPlace } from './sources.ts';

/** One place for each directory in which an agent keeps sessions, whether it exists or not. */
export async function foreignSessions(ports: ForeignPorts): Promise<SessionPlace[]> {
  const agents = await Promise.all(AGENT_NAMES.map(loadAgent));
  return agents.flatMap((agent) =>
    agent.places(ports.surroundings).map((directory) => ({
      agent: agent.name,
      directory,
      vanished: 'keep' as const,
      list: async () => listed(agent, directory, ports),
    })),
  );
}

function listed(agent: Agent, directory: string, ports: ForeignPorts): ListedSources {
  const found = findIn(agent, directory, ports);
  return {
    sources: sourcesNamed('', [found], ports).map((source) => textSourceOf(agent, source, directory, ports)),
    skipped: found.unreadable.map(({ path, reason }) => ({ address: path, reason })),
    unlisted: unlistedPaths(found),
  };
}

function textSourceOf(agent: Agent, source: Source, directory: string, { files }: ForeignPorts): TextSource {
  const { id, path, parent } = source;
  const { fileSystem } = files;
  return {
    agent: agent.name,
    directory,
    id,
    path,
    file: fileOf(agent, source, files),
    version: String(agent.version),
    parent,
    isThere: () => isThere(fileSystem, path),
    async open(saved) {
      const from = saved as Checkpoint | undefined;
      const reader = openForeign(agent, source, { ...files, from });
      return {
        reader,
        holds: (position) => reader.holds(position as ForeignPosition),
        forkedFrom: () => readHead(agent, source, files).forkedFrom,
        checkpoint: () => reader.checkpoint() as TextSourceCheckpoint,
      };
    },
  };
}

type TextSourceCheckpoint = NonNullable<Parameters<TextSource['open']>[0]> | undefined;
