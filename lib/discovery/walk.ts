// Finds what a project's tree holds, and hands it out as it is found: names alone, or entries with size and time, for which
// each file is looked at. Ignored directories are not entered, symbolic links neither listed nor followed unless asked for, and
// what cannot be read is counted and passed by. Reading waits for the caller: a tree of any size takes the memory of the
// directories of one level.
import { type Stats, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { OllmError } from '../errors/index.ts';
import { countUnreadable, crawl } from './crawl.ts';
import { type Disk, diskOf } from './disk.ts';
import { createLinkResolver } from './links.ts';
import type { Discovery, DiscoveryOptions, DiscoveryReport, FileEntry, FoundName } from './types.ts';

/**
 * Finds the files and directories of a project.
 *
 * @throws OllmError IO_FAILED if the root is no directory; the signal's reason once it is aborted
 * @example
 * const found = discover({ root: '.', includePatterns: ['*.ts'] });
 * for await (const { relativePath, size } of found) console.log(relativePath, size);
 * console.log(found.report.unreadable);
 *
 * for await (const names of discover({ root: '.' }).names()) console.log(names.length);
 */
export function discover(options: DiscoveryOptions): Discovery {
  return asDiscovery(walk(options), options.signal);
}

/** For whoever must know what the entries depend on. */
export interface WalkObserver {
  /** A directory, absolute, before anything is read from it. */
  directory(path: string): void;
  /** A file that has other names too, and may be changed under those. Not told where names alone are found. */
  sharedFile(): void;
}

const NOBODY: WalkObserver = { directory() {}, sharedFile() {} };

/** A walk before it is handed out: entries and names come as many at a time as a directory has. */
export interface Walk {
  readonly report: DiscoveryReport;
  entries(): AsyncIterable<readonly FileEntry[]>;
  names(): AsyncIterable<readonly FoundName[]>;
}

/** One entry at a time, until the signal. */
export function asDiscovery({ report, entries, names }: Walk, signal: AbortSignal | undefined): Discovery {
  return {
    report,
    names,
    async *[Symbol.asyncIterator]() {
      for await (const found of entries()) {
        for (const entry of found) {
          yield entry;
          signal?.throwIfAborted();
        }
      }
    },
  };
}

export function emptyReport(): DiscoveryReport {
  const counts = { unreadable: 0, links: 0, linksOutside: 0, linkCircles: 0, tooDeep: 0 };
  return { ...counts, unreadablePaths: [], warnings: [] };
}

/** All entries at once, in the order of their paths. */
export async function discoverAll(options: DiscoveryOptions): Promise<FileEntry[]> {
  return allOf(walk(options));
}

/** In the order of their paths. */
export async function allOf({ entries }: Pick<Walk, 'entries'>): Promise<FileEntry[]> {
  const all: FileEntry[] = [];
  for await (const found of entries()) all.push(...found);
  return sorted(all);
}

/** In place, by path. */
export function sorted<Found extends FoundName>(entries: Found[]): Found[] {
  return entries.sort((a, b) => (a.relativePath < b.relativePath ? -1 : 1));
}

/** @throws OllmError IO_FAILED */
export function checkRoot(root: string): void {
  const stat = statSync(root, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  throw new OllmError('IO_FAILED', `${root} is ${stat ? 'no directory' : 'not there'}.`, {
    hint: 'Name a directory that exists.',
    data: { path: root },
  });
}

export interface WalkSettings {
  readonly observer?: WalkObserver | undefined;
  /** What is filled in. */
  readonly report?: DiscoveryReport | undefined;
  /** How the tree is read; unless given, in the way that suits its file system. */
  readonly disk?: Disk | undefined;
}

export function walk(options: DiscoveryOptions, settings: WalkSettings = {}): Walk {
  const { observer = NOBODY, report = emptyReport(), disk } = settings;
  const start = () => startWalk(options, report, observer, disk);
  return {
    report,
    async *entries() {
      yield* start().entries();
    },
    async *names() {
      yield* start().names();
    },
  };
}

function startWalk(options: DiscoveryOptions, report: DiscoveryReport, observer: WalkObserver, disk: Disk | undefined) {
  const root = resolve(options.root);
  checkRoot(root);
  const { look, ...reader } = disk ?? diskOf(root);
  const links = options.followSymlinks ? createLinkResolver(root, report) : undefined;
  const prefix = root.endsWith(sep) ? root : root + sep;
  const absolute = (path: string) => (path === '' ? root : prefix + (sep === '/' ? path : path.replaceAll('/', sep)));
  const names = () => crawl({ options, absolute, disk: reader, report, links, onDirectory: observer.directory });

  async function* entries(): AsyncGenerator<readonly FileEntry[], void, void> {
    for await (const found of names()) {
      const paths = found.map(({ relativePath }) => links?.targetOf(relativePath) ?? absolute(relativePath));
      const failed = (index: number) => countUnreadable(report, found[index]!.relativePath);
      const stats = await look(paths, failed, options.signal);
      yield found.flatMap((name, index) => describe(name, stats[index]) ?? []);
    }
  }

  /** Undefined if it is gone, or something else by now. */
  function describe({ relativePath, type }: FoundName, stats: Stats | undefined): FileEntry | undefined {
    if (!stats || (type === 'directory' ? !stats.isDirectory() : !stats.isFile())) return undefined;
    const { size, mtimeMs, nlink } = stats;
    if (type === 'file' && nlink > 1) observer.sharedFile();
    // What stats.mtime would be, which is slow to make.
    return { path: absolute(relativePath), relativePath, type, size, modified: new Date(Math.round(mtimeMs)) };
  }

  return { names, entries };
}
