// Finds sessions of other programs where those keep them: all of one agent, or the one that an id or the beginning of
// an id names. Looks at directories and small indexes alone, and opens no session.
import type { Agent, Source, Surroundings } from '../agents/agent.ts';
import { discoverIn } from '../agents/discover.ts';
import type { SourceFiles } from '../agents/open-source.ts';
import type { SourceFile } from '../catalog/index-session.ts';
import type { FileStat, FileSystem } from '../platform/files/file-system.ts';

/** What finding and reading them takes. */
export interface ForeignPorts {
  readonly surroundings: Surroundings;
  readonly files: SourceFiles & { readonly fileSystem: FileSystem };
}

/** The sessions in one of an agent's directories, and what there could not be looked at. */
export interface FoundSources {
  readonly directory: string;
  readonly sources: readonly Source[];
  /** `reason`: as the end of a sentence that begins with the path. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
  /** The directory is not there: it was never made, or what it is on is not mounted. */
  readonly isMissing: boolean;
}

/** Every session of an agent, by the directories that it keeps them in. One that is not there is empty. */
export function findSources(agent: Agent, ports: ForeignPorts): readonly FoundSources[] {
  return agent.places(ports.surroundings).map((directory) => findIn(agent, directory, ports));
}

/** The same of one of these directories. */
export function findIn(agent: Agent, directory: string, { files }: Pick<ForeignPorts, 'files'>): FoundSources {
  const sources: Source[] = [];
  const unreadable: { path: string; reason: string }[] = [];
  for (const found of discoverIn(agent, directory, files)) {
    if (found.kind === 'source') sources.push(found.source);
    else unreadable.push({ path: found.path, reason: found.reason });
  }
  return { directory, sources, unreadable, isMissing: !isThere(files.fileSystem, directory) };
}

/** Whether an agent has a session at all. Looks no further than to the first one. */
export function hasSource(agent: Agent, { surroundings, files }: ForeignPorts): boolean {
  for (const directory of agent.places(surroundings)) {
    for (const { kind } of discoverIn(agent, directory, files)) if (kind === 'source') return true;
  }
  return false;
}

/** Where nothing is known of what is there now: below these paths, a session that was not found need not be gone. */
export function unlistedPaths({ directory, unreadable, isMissing }: FoundSources): string[] {
  return [...(isMissing ? [directory] : []), ...unreadable.map(({ path }) => path)];
}

/**
 * The sources that `id` names: that of this very id, else those of all that begin with it, in any case. Where an id has
 * several, as where a project was copied, it is the one that changed last.
 */
export function sourcesNamed(
  id: string,
  found: readonly FoundSources[],
  { files }: Pick<ForeignPorts, 'files'>,
): Source[] {
  const byId = new Map<string, Source>();
  for (const source of found.flatMap(({ sources }) => sources)) {
    const other = byId.get(source.id);
    if (other === undefined || changedNs(source, files) > changedNs(other, files)) byId.set(source.id, source);
  }
  const exact = byId.get(id);
  if (exact !== undefined) return [exact];
  const start = id.toLowerCase();
  return [...byId.values()].filter((source) => source.id.toLowerCase().startsWith(start));
}

/**
 * The file of a source. A database has what was written last in a file beside it. Undefined where the file is not
 * there, or cannot be looked at.
 */
export function fileOf(
  agent: Agent,
  source: Source,
  { fileSystem }: { readonly fileSystem: Pick<FileSystem, 'stat'> },
): SourceFile | undefined {
  try {
    const file = fileSystem.stat(source.path);
    if (file?.changedNs === undefined) return undefined;
    const log = logOf(agent, source, fileSystem);
    if (log === undefined) return { inode: file.inode, size: file.size, changedNs: file.changedNs };
    const changedNs = log.changedNs !== undefined && log.changedNs > file.changedNs ? log.changedNs : file.changedNs;
    return { inode: file.inode, size: file.size + log.size, changedNs };
  } catch {
    return undefined;
  }
}

/** The file beside a database; undefined of any other source, and where it is not there. */
export function logOf(agent: Agent, source: Source, fileSystem: Pick<FileSystem, 'stat'>): FileStat | undefined {
  return agent.stored(source).kind === 'rows' ? fileSystem.stat(`${source.path}-wal`) : undefined;
}

/** Asked for where an id has several sources alone, and so also of what may be no database. */
function changedNs({ path }: Source, { fileSystem }: SourceFiles): bigint {
  try {
    const [file = 0n, log = 0n] = [path, `${path}-wal`].map((each) => fileSystem.stat(each)?.changedNs);
    if (log > file) return log;
    return file;
  } catch {
    return 0n;
  }
}

/** A path that cannot be looked at is there: what is said of it is that it cannot be read. */
export function isThere(fileSystem: Pick<FileSystem, 'stat'>, path: string): boolean {
  try {
    return fileSystem.stat(path) !== undefined;
  } catch {
    return true;
  }
}
