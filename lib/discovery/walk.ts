// Walks a project's tree and hands out its entries as they are found. Ignored directories are not entered, symbolic links
// neither listed nor followed unless asked for, and what cannot be read is counted and passed by. Reading waits for the
// caller: a tree of any size takes the memory of a few thousand entries.
import * as nodeFs from 'node:fs';
import { join, resolve } from 'node:path';
import { type FSLike, fdir } from 'fdir';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { globFilter } from './globs.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { createLinkResolver, type LinkResolver } from './links.ts';
import { parentOf } from './path-filter.ts';
import { isRuleFile, readRuleFiles, surroundingsOf } from './repository.ts';
import type { Discovery, DiscoveryOptions, DiscoveryReport, FileEntry } from './types.ts';

const MAX_WAITING_ENTRIES = 4096;
const MAX_REPORTED_PATHS = 20;

/**
 * Finds the files and directories of a project.
 *
 * @throws OllmError IO_FAILED if the root is no directory; the signal's reason once it is aborted
 * @example
 * const found = discover({ root: '.', includePatterns: ['*.ts'] });
 * for await (const entry of found) console.log(entry.relativePath);
 * console.log(found.report.unreadable);
 */
export function discover(options: DiscoveryOptions): Discovery {
  return discoverObserved(options, { directory() {}, sharedFile() {} });
}

/** For whoever must know what the entries depend on. */
export interface WalkObserver {
  /** A directory, absolute, before anything is read from it. */
  directory(path: string): void;
  /** A file that has other names too, and may be changed under those. */
  sharedFile(): void;
}

export function discoverObserved(options: DiscoveryOptions, observer: WalkObserver): Discovery {
  const report = emptyReport();
  return { report, [Symbol.asyncIterator]: () => walk(options, report, observer) };
}

export function emptyReport(): DiscoveryReport {
  const counts = { unreadable: 0, links: 0, linksOutside: 0, linkCircles: 0, tooDeep: 0 };
  return { ...counts, unreadablePaths: [], warnings: [] };
}

/** All entries at once, in the order of their paths. */
export async function discoverAll(options: DiscoveryOptions): Promise<FileEntry[]> {
  return allOf(discover(options));
}

/** In the order of their paths. */
export async function allOf(found: AsyncIterable<FileEntry>): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for await (const entry of found) entries.push(entry);
  return sorted(entries);
}

/** In place, by path. */
export function sorted(entries: FileEntry[]): FileEntry[] {
  return entries.sort((a, b) => (a.relativePath < b.relativePath ? -1 : 1));
}

interface Found {
  readonly relativePath: string;
  readonly isDirectory: boolean;
}

async function* walk(
  options: DiscoveryOptions,
  report: DiscoveryReport,
  observer: WalkObserver,
): AsyncGenerator<FileEntry> {
  const root = resolve(options.root);
  checkRoot(root);
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const waiting = createQueue<Found>(signal);
  const links = options.followSymlinks ? createLinkResolver(root, report) : undefined;

  crawl({ root, options: { ...options, signal }, report, queue: waiting, links, observer });
  try {
    for await (const found of waiting) {
      options.signal?.throwIfAborted();
      const entry = describe({ root, report, links, observer }, found);
      if (entry) yield entry;
    }
    options.signal?.throwIfAborted();
  } finally {
    stop.abort();
  }
}

/** @throws OllmError IO_FAILED */
export function checkRoot(root: string): void {
  const stat = nodeFs.statSync(root, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  throw new OllmError('IO_FAILED', `${root} is ${stat ? 'no directory' : 'not there'}.`, {
    hint: 'Name a directory that exists.',
    data: { path: root },
  });
}

interface Crawl {
  readonly root: string;
  readonly options: DiscoveryOptions & { readonly signal: AbortSignal };
  readonly report: DiscoveryReport;
  readonly queue: Queue<Found>;
  /** Undefined: links are not followed. */
  readonly links: LinkResolver | undefined;
  readonly observer: WalkObserver;
}

// fdir drives the walk over a tree whose root is called `/`; its readdir is ours, so that the rules of a directory are known
// before its entries are judged, and so that no directory is read while entries wait for the caller.
function crawl({ root, options, report, queue, links, observer }: Crawl): void {
  const { base, rules } = surroundingsOf(root, options);
  const globs = globFilter(options.includePatterns, options.excludePatterns);
  report.warnings.push(...globs.warnings);
  const maxDepth = options.maxDepth ?? Number.POSITIVE_INFINITY;
  const rulesByDirectory = new Map<string, IgnoreRules>();
  const fromTop = (path: string) => [base, path].filter(Boolean).join('/');
  const isLeftOut = (path: string, isDirectory: boolean) =>
    globs.excludes(path) || rulesByDirectory.get(parentOf(path))!.ignores(fromTop(path), isDirectory);

  async function readDirectory(virtualPath: string): Promise<Pick<nodeFs.Dirent, 'name' | 'isFile' | 'isDirectory'>[]> {
    await queue.hasRoom();
    if (options.signal.aborted) return [];
    const directory = virtualPath.slice(1, -1);
    const path = join(root, directory);
    const inherited = directory === '' ? rules : rulesByDirectory.get(parentOf(directory))!;
    rulesByDirectory.set(directory, inherited);
    try {
      observer.directory(path);
      const entries = await nodeFs.promises.readdir(path, { withFileTypes: true });
      if (entries.some(({ name }) => isRuleFile(name)))
        rulesByDirectory.set(directory, inherited.within(fromTop(directory), readRuleFiles(path)));
      return links ? links.resolveAll(directory, entries) : withoutLinks(entries);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT' || isUnspeakable(directory)) countUnreadable(report, directory);
      return [];
    }
  }

  function withoutLinks(entries: nodeFs.Dirent[]): nodeFs.Dirent[] {
    const others = entries.filter((entry) => !entry.isSymbolicLink());
    report.links += entries.length - others.length;
    return others;
  }

  const readdir = (path: string, _options: unknown, done: (error: null, entries: object[]) => void) => {
    void readDirectory(path).then((entries) => done(null, entries));
  };

  new fdir({ fs: { ...nodeFs, readdir } as unknown as FSLike, excludeSymlinks: true })
    .withPathSeparator('/')
    .withRelativePaths()
    .withDirs()
    .withMaxDepth(maxDepth)
    .withAbortSignal(options.signal)
    .exclude((_name, virtualPath) => {
      const path = virtualPath.slice(1, -1);
      if (isLeftOut(path, true)) return true;
      if (path.split('/').length > maxDepth) {
        report.tooDeep += 1;
        observer.directory(join(root, path));
      }
      return false;
    })
    .filter((found, isDirectory) => {
      const path = isDirectory ? found.slice(0, -1) : found;
      const isOurs = path !== '' && globs.includes(path) && (isDirectory || !isLeftOut(path, false));
      if (isOurs) queue.add({ relativePath: path, isDirectory });
      return false;
    })
    .crawl('/')
    .withCallback(() => queue.close());
}

/** Undefined if it is gone, or something else by now. */
function describe(
  { root, report, links, observer }: Pick<Crawl, 'root' | 'report' | 'links' | 'observer'>,
  { relativePath, isDirectory }: Found,
): FileEntry | undefined {
  const path = join(root, relativePath);
  try {
    const stat = nodeFs.lstatSync(links?.targetOf(relativePath) ?? path, {
      throwIfNoEntry: isUnspeakable(relativePath),
    });
    if (!stat || (isDirectory ? !stat.isDirectory() : !stat.isFile())) return undefined;
    if (!isDirectory && stat.nlink > 1) observer.sharedFile();
    return { path, relativePath, type: isDirectory ? 'directory' : 'file', size: stat.size, modified: stat.mtime };
  } catch {
    countUnreadable(report, relativePath);
    return undefined;
  }
}

/** A name whose bytes are no UTF-8 arrives with U+FFFD in it and leads nowhere. */
function isUnspeakable(path: string): boolean {
  return path.includes('\uFFFD');
}

function countUnreadable(report: DiscoveryReport, relativePath: string): void {
  report.unreadable += 1;
  if (report.unreadablePaths.length < MAX_REPORTED_PATHS) report.unreadablePaths.push(relativePath || '.');
}

interface Queue<Item> extends AsyncIterable<Item> {
  add(item: Item): void;
  close(): void;
  /** Resolves when few enough items wait, or nobody will take them any more. */
  hasRoom(): Promise<void>;
}

function createQueue<Item>(signal: AbortSignal): Queue<Item> {
  let items: Item[] = [];
  let isClosed = false;
  let moved = Promise.withResolvers<void>();
  const move = () => {
    moved.resolve();
    moved = Promise.withResolvers();
  };
  signal.addEventListener('abort', move, { once: true });
  return {
    add(item) {
      items.push(item);
      if (items.length === 1) move();
    },
    close() {
      isClosed = true;
      move();
    },
    async hasRoom() {
      while (items.length >= MAX_WAITING_ENTRIES && !signal.aborted) await moved.promise;
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const taken = items;
        items = [];
        if (taken.length > 0) {
          move();
          yield* taken;
        } else if (isClosed || signal.aborted) return;
        else await moved.promise;
      }
    },
  };
}
