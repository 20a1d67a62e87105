// Finds sessions of other programs where those keep them: all of one agent, or the one that an id or the beginning of
// an id names. Reads only directories and small indexes, and opens no session.
import { hash } from 'node:crypto';
import type { Agent, Source, Surroundings } from '../agents/agent.ts';
import { discoverIn, type FoundLink } from '../agents/discover.ts';
import type { SourceFiles } from '../agents/open-source.ts';
import type { SourceFile } from '../catalog/text-source.ts';
import { systemErrorCode } from '../errors/index.ts';
import type { FileStat, FileSystem } from '../platform/files/file-system.ts';
import { isInside } from '../platform/files/inside.ts';
import { realPathOf } from '../platform/files/io.ts';

/** What finding and reading them takes. */
export interface ForeignPorts {
  readonly surroundings: Surroundings;
  /** Further home directories, see hub.homes. */
  readonly homes?: readonly string[] | undefined;
  /** Directories of projects that are known from sessions of other programs, and that of the current directory. */
  projects?(): Promise<readonly string[]>;
  readonly files: SourceFiles & { readonly fileSystem: FileSystem };
}

/** The sessions in one of an agent's directories, and what there could not be looked at. */
export interface FoundSources {
  readonly directory: string;
  readonly sources: readonly Source[];
  /** By the id of a source that has the id of another one, that one. */
  readonly originals: ReadonlyMap<string, Source>;
  /** `reason`: as the end of a sentence that begins with the path. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
  /** The directory does not exist: it was never made, or its disk is not mounted. Or it is in a home that is shut. */
  readonly isMissing: boolean;
}

/** Digits from the hash of a path. */
const PATH_DIGITS = 8;

/** A backup may be of another system. */
const PLATFORMS = ['linux', 'darwin', 'win32'] as const;

/** The directories in which an agent keeps sessions, first those of the own home. Variables are about that one only. */
export function placesOf(agent: Agent, { surroundings, homes = [] }: Omit<ForeignPorts, 'files'>): readonly string[] {
  const others = homes.flatMap((home) => PLATFORMS.flatMap((platform) => agent.places({ env: {}, home, platform })));
  return [...new Set([...agent.places(surroundings), ...others])];
}

/**
 * Every session of an agent, by the directories that it keeps them in. One that is not there is empty. Each file is
 * there once, whatever links lead to it, and no two have one id.
 */
export function findSources(
  agent: Agent,
  ports: ForeignPorts,
  directories: readonly string[] = placesOf(agent, ports),
): readonly FoundSources[] {
  return withOwnIds(
    directories.map((directory) => findIn(agent, directory, ports)),
    ports,
  );
}

function findIn(agent: Agent, directory: string, { files, homes = [] }: ForeignPorts): FoundSources {
  const sources: Source[] = [];
  const links: FoundLink[] = [];
  const unreadable: { path: string; reason: string }[] = [];
  for (const found of discoverIn(agent, directory, files)) {
    if (found.kind === 'source') sources.push(found.source);
    else if (found.kind === 'link') links.push(found);
    else unreadable.push({ path: found.path, reason: found.reason });
  }
  // A shut home is named once, and not by each place that a program may have in it.
  const isShut = unreadable.length > 0 && homes.some((home) => isInside(home, directory) && isShutHome(home, files));
  if (isShut) return { directory, sources: [], originals: NONE, unreadable: [], isMissing: true };
  const isMissing = !isThere(files.fileSystem, directory);
  if (links.length === 0) return { directory, sources, originals: NONE, unreadable, isMissing };
  const { once, unfollowed } = withoutLinks(sources, links, files.fileSystem);
  for (const path of unfollowed)
    unreadable.push({ path, reason: 'is a link to a file: only those to folders are followed' });
  return { directory, sources: once, originals: NONE, unreadable, isMissing };
}

/** Each file once, by the path that has no link in it where there is one; and links to files that are nowhere else. */
function withoutLinks(
  sources: readonly Source[],
  links: readonly FoundLink[],
  fileSystem: Pick<FileSystem, 'realPath'>,
): { readonly once: readonly Source[]; readonly unfollowed: readonly string[] } {
  const toFiles = new Set(links.flatMap(({ path, to }) => (to === 'file' ? [path] : [])));
  const byFile = Map.groupBy(sources, ({ path, id }) => `${realPathOf(fileSystem, path) ?? path}\0${id}`);
  const once: Source[] = [];
  const unfollowed: string[] = [];
  for (const [file, those] of byFile) {
    const real = those.filter(({ path }) => !toFiles.has(path));
    const first = real.find(({ path, id }) => `${path}\0${id}` === file) ?? real[0];
    if (first !== undefined) once.push(first);
    else unfollowed.push(...those.map(({ path }) => path));
  }
  const isElsewhere = (path: string) =>
    once.some((source) => realPathOf(fileSystem, source.path) === realPathOf(fileSystem, path));
  return { once, unfollowed: unfollowed.filter((path) => !isElsewhere(path)) };
}

/**
 * If several files have the same id, as after a project was copied, the first by its place keeps it. The ids of the
 * others end with a hash of their path, so that they stay the same whatever is written into any of them.
 */
function withOwnIds(found: readonly FoundSources[], ports: ForeignPorts): readonly FoundSources[] {
  const { files } = ports;
  const byId = Map.groupBy(
    found.flatMap(({ sources }) => sources),
    ({ id }) => id,
  );
  if ([...byId.values()].every(({ length }) => length === 1)) return found;
  const names = new Map<Source, Source | undefined>();
  const originals = new Map<string, Source>();
  for (const [id, sources] of byId) {
    const known = new Set<string>();
    const [original] = sources;
    for (const source of sources) {
      const file = sources.length === 1 ? '' : fileNumberOf(source, files.fileSystem);
      // A second name of the same file is dropped, and so is an unchanged copy in another home.
      if (known.has(file) || isBackup(source, sources, ports)) names.set(source, undefined);
      else if (source === original) names.set(source, source);
      else {
        const own = `${id}-${hash('sha256', source.path, 'hex').slice(0, PATH_DIGITS)}`;
        names.set(source, { ...source, id: own, ownId: source.ownId ?? id });
        originals.set(own, original!);
      }
      known.add(file);
    }
  }
  return found.map((place) => ({
    ...place,
    originals,
    sources: place.sources.flatMap((source) => names.get(source) ?? []),
  }));
}

/** Whether a session of a further home has the size and the time of change of one before it. */
function isBackup(source: Source, sources: readonly Source[], { homes = [], files }: ForeignPorts): boolean {
  if (source === sources[0] || !homes.some((home) => isInside(home, source.path))) return false;
  const own = statIn(files.fileSystem, source.path);
  if (own === undefined) return false;
  return sources.slice(0, sources.indexOf(source)).some((each) => {
    const stat = statIn(files.fileSystem, each.path);
    return stat?.size === own.size && stat.modifiedMs === own.modifiedMs;
  });
}

function statIn(fileSystem: Pick<FileSystem, 'stat'>, path: string): FileStat | undefined {
  try {
    return fileSystem.stat(path);
  } catch {
    return undefined;
  }
}

const NONE: FoundSources['originals'] = new Map();

function fileNumberOf({ path }: Source, fileSystem: Pick<FileSystem, 'stat'>): string {
  const stat = statIn(fileSystem, path);
  return stat === undefined ? path : `${stat.device} ${stat.inode}`;
}

/** Paths whose content is unknown now: a session that was not found below them need not be gone. */
export function unlistedPaths({ directory, unreadable, isMissing }: FoundSources): string[] {
  return [...(isMissing ? [directory] : []), ...unreadable.map(({ path }) => path)];
}

/** The sources that `id` names: that of this very id, else those of all that begin with it, in any case. */
export function sourcesNamed(id: string, all: readonly Source[]): Source[] {
  const exact = all.find((source) => source.id === id);
  if (exact !== undefined) return [exact];
  const start = id.toLowerCase();
  return all.filter((source) => source.id.toLowerCase().startsWith(start));
}

/**
 * The file of a source. The newest writes of a database are in a second file next to it. Undefined if the file does not
 * exist, or cannot be looked at.
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

/** The log file of a database; undefined for any other source, and if it does not exist. */
export function logOf(agent: Agent, source: Source, fileSystem: Pick<FileSystem, 'stat'>): FileStat | undefined {
  return agent.stored(source).kind === 'rows' ? fileSystem.stat(`${source.path}-wal`) : undefined;
}

/**
 * A sentence on each further home that is not there, such as a backup that is not mounted, or that its owner has shut.
 *
 * @example
 * awayHomes({ homes: ['/mnt/ada'], files }); // ['/mnt/ada, one of hub.homes, is not there: its sessions stay …']
 */
export function awayHomes({ homes = [], files }: Pick<ForeignPorts, 'homes' | 'files'>): readonly string[] {
  return homes.flatMap((home) => {
    const isGone = !isThere(files.fileSystem, home);
    if (!isGone && !isShutHome(home, files)) return [];
    return [
      `${home}, one of hub.homes, ${isGone ? 'is not there' : 'may not be read'}: its sessions stay as they were.`,
    ];
  });
}

/** Whether nothing in a home can be looked at. */
function isShutHome(home: string, { fileSystem }: Pick<ForeignPorts['files'], 'fileSystem'>): boolean {
  try {
    // The path through it asks for the permission to pass.
    fileSystem.stat(`${home}/.`);
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(systemErrorCode(error) ?? '');
  }
}

/** A path that cannot be looked at counts as existing, and is reported as unreadable. */
export function isThere(fileSystem: Pick<FileSystem, 'stat'>, path: string): boolean {
  try {
    return fileSystem.stat(path) !== undefined;
  } catch {
    return true;
  }
}
