// The sessions of other programs as places that sessions come from. Their files are read where they are.
import type { Agent, ForeignPosition, Source, Surroundings } from '../agents/agent.ts';
import { discoverIn } from '../agents/discover.ts';
import { type Checkpoint, openForeign } from '../agents/open-foreign.ts';
import { AGENT_NAMES, loadAgent } from '../agents/registry.ts';
import type { SourceFile, TextSource } from '../catalog/index-session.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { ListedSources, SessionPlace } from './sources.ts';

export interface ForeignSessionsOptions {
  readonly surroundings: Surroundings;
  readonly fileSystem: FileSystem;
  /** The user's id; undefined where the system has none. */
  readonly uid: number | undefined;
}

/** One place for each directory in which an agent keeps sessions, whether it exists or not. */
export async function foreignSessions(options: ForeignSessionsOptions): Promise<SessionPlace[]> {
  const agents = await Promise.all(AGENT_NAMES.map(loadAgent));
  return agents.flatMap((agent) =>
    agent.places(options.surroundings).map((directory) => ({
      agent: agent.name,
      directory,
      vanished: 'keep' as const,
      list: async () => listed(agent, directory, options),
    })),
  );
}

function listed(agent: Agent, directory: string, options: ForeignSessionsOptions): ListedSources {
  const byId = new Map<string, TextSource>();
  const skipped: { address: string; reason: string }[] = [];
  for (const found of discoverIn(agent, directory, options)) {
    if (found.kind === 'unreadable') {
      skipped.push({ address: found.path, reason: found.reason });
      continue;
    }
    const source = textSourceOf(agent, found.source, { ...options, directory });
    // The same id twice, as where a project was copied: its address names the one that changed last.
    const other = byId.get(source.id);
    if (other === undefined || changedNs(source) > changedNs(other)) byId.set(source.id, source);
  }
  return { sources: [...byId.values()], skipped };
}

function changedNs({ file }: TextSource): bigint {
  return file?.changedNs ?? 0n;
}

function textSourceOf(
  agent: Agent,
  source: Source,
  { directory, fileSystem, uid }: ForeignSessionsOptions & { readonly directory: string },
): TextSource {
  const { id, path, parent } = source;
  return {
    agent: agent.name,
    directory,
    id,
    path,
    file: fileAt(fileSystem, path),
    version: String(agent.version),
    parent,
    isThere: () => fileSystem.stat(path) !== undefined,
    async open(saved) {
      const from = saved as Checkpoint | undefined;
      const reader = openForeign(agent, source, { fileSystem, uid, from });
      return {
        reader,
        holds: (position) => reader.holds(position as ForeignPosition),
        checkpoint: () => reader.checkpoint() as TextSourceCheckpoint,
      };
    },
  };
}

type TextSourceCheckpoint = NonNullable<Parameters<TextSource['open']>[0]> | undefined;

/** A database has what was written last in a file beside it. */
export function fileAt(fileSystem: Pick<FileSystem, 'stat'>, path: string): SourceFile | undefined {
  const file = fileSystem.stat(path);
  if (file?.changedNs === undefined) return undefined;
  const log = fileSystem.stat(`${path}-wal`);
  const changedNs = log?.changedNs !== undefined && log.changedNs > file.changedNs ? log.changedNs : file.changedNs;
  return { inode: file.inode, size: file.size + (log?.size ?? 0), changedNs };
}
