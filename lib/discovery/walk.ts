// Lists a project's tree: only names, or entries with size and time, for which each file is looked at. The package fdir
// walks; ignored directories are not entered, symbolic links are neither listed nor followed unless asked for, and
// unreadable entries are counted. `discover` knows the whole list before it yields the first part, nearest to the root
// first; `discoverNames` yields each name as soon as it is found.
import * as nodeFs from 'node:fs';
import { type Dirent, lstatSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FSLike, fdir } from 'fdir';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { unlessAborted } from '../platform/waiting.ts';
import type { DirectoryMemory } from './directory-memory.ts';
import { globFilter } from './globs.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { createLinkResolver } from './links.ts';
import { joined, nameOf, parentOf } from './paths.ts';
import { readRuleFiles, surroundingsOf } from './repository.ts';
import type { Discovery, DiscoveryOptions, DiscoveryReport, FileEntry, FoundName } from './types.ts';

/** Handed out together; between two such parts the program gets a turn. */
const NAMES_AT_ONCE = 256;
/** Directories that are read at the same time. All that are read by then are handled in one turn of the program. */
const DIRECTORIES_AT_ONCE = 16;
const MAX_REPORTED_PATHS = 20;

/**
 * Finds the files and directories of a project. `memory` spares a later walk the directories that did not change.
 *
 * @throws OllmError IO_FAILED if the root is not a directory; the signal's reason once it is aborted
 * @example
 * const found = discover({ root: '.', includePatterns: ['*.ts'] });
 * for await (const { relativePath, size } of found) console.log(relativePath, size);
 * console.log(found.report.unreadable);
 *
 * for await (const names of discover({ root: '.' }).names()) console.log(names.length);
 */
export function discover(options: DiscoveryOptions, memory?: DirectoryMemory): Discovery {
  const report = emptyReport();
  const root = resolve(options.root);
  const { signal } = options;

  async function* names(): AsyncGenerator<readonly FoundName[], void, void> {
    const found: FoundName[] = [];
    await crawl({ ...options, root, memory }, report, (name) => found.push(name));
    yield* parts(nearestFirst(found), signal);
  }

  async function* entries(): AsyncGenerator<FileEntry, void, void> {
    const found: FoundName[] = [];
    const { targetOf } = await crawl({ ...options, root, memory }, report, (name) => found.push(name));
    for await (const part of parts(nearestFirst(found), signal)) {
      const paths = part.map(({ relativePath }) => targetOf(relativePath) ?? absolutePath(root, relativePath));
      const stats = paths.map((path, index) => look(path, part[index]!, report));
      for (const [index, name] of part.entries()) {
        const entry = describe(root, name, stats[index]);
        if (entry) yield entry;
        signal?.throwIfAborted();
      }
    }
  }

  return { report, names, [Symbol.asyncIterator]: entries };
}

/**
 * Hands out each name while the walk continues, in any order.
 *
 * @throws as `discover` does
 * @example
 * await discoverNames({ root: '.' }, ({ relativePath }) => console.log(relativePath));
 */
export async function discoverNames(
  options: DiscoveryOptions,
  onFound: (name: FoundName) => void,
): Promise<DiscoveryReport> {
  const report = emptyReport();
  await crawl({ ...options, root: resolve(options.root) }, report, onFound);
  return report;
}

/** All entries at once, in the order of their paths. */
export async function discoverAll(options: DiscoveryOptions): Promise<FileEntry[]> {
  const all: FileEntry[] = [];
  for await (const entry of discover(options)) all.push(entry);
  return sorted(all);
}

/** In place, by path. */
export function sorted<Found extends FoundName>(entries: Found[]): Found[] {
  return entries.sort((a, b) => (a.relativePath < b.relativePath ? -1 : 1));
}

function emptyReport(): DiscoveryReport {
  const counts = { unreadable: 0, links: 0, linksOutside: 0, linkCircles: 0, tooDeep: 0, builtin: 0 };
  return { ...counts, unreadablePaths: [], builtinNames: [], warnings: [] };
}

/** @throws OllmError IO_FAILED */
export function checkRoot(root: string): void {
  const stat = statSync(root, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  throw new OllmError('IO_FAILED', `${root} ${stat ? 'is not a directory' : 'does not exist'}.`, {
    hint: 'Name a directory that exists.',
    data: { path: root },
  });
}

interface Crawled {
  /** Where the link at this path leads, if it was followed. */
  targetOf(path: string): string | undefined;
}

/** `root` is absolute. @throws the signal's reason once it is aborted */
async function crawl(
  options: DiscoveryOptions & { readonly memory?: DirectoryMemory | undefined },
  report: DiscoveryReport,
  onFound: (name: FoundName) => void,
): Promise<Crawled> {
  const { root, signal, maxDepth = Number.POSITIVE_INFINITY, followSymlinks, memory } = options;
  checkRoot(root);
  const { base, rules: outerRules } = surroundingsOf(root, options);
  const globs = await globFilter(options.includePatterns, options.excludePatterns);
  report.warnings.push(...globs.warnings);
  const links = followSymlinks ? createLinkResolver(root, report) : undefined;
  /** The rules in each entered directory. */
  const rulesIn = new Map<string, IgnoreRules>([['', outerRules.within(base, readRuleFiles(root))]]);

  /** Whether a file or directory belongs to the project. */
  function take(relativePath: string, type: FoundName['type']): boolean {
    if (globs.excludes(relativePath)) return false;
    const isDirectory = type === 'directory';
    const leftOut = rulesIn.get(parentOf(relativePath))?.leavesOut(joined(base, relativePath), isDirectory) ?? 'git';
    if (leftOut === 'builtin') countBuiltin(report, nameOf(relativePath));
    if (leftOut) return false;
    if (isUnspeakable(nameOf(relativePath)) && !isThere(absolutePath(root, relativePath))) {
      countUnreadable(report, relativePath);
      return false;
    }
    if (globs.includes(relativePath)) onFound({ relativePath, type });
    return true;
  }

  /** Tells fdir whether to stay out of a directory. */
  function staysOut(path: string): boolean {
    if (!take(path, 'directory')) return true;
    if (path.split('/').length > maxDepth) {
      report.tooDeep += 1;
      return true;
    }
    const own = readRuleFiles(absolutePath(root, path));
    rulesIn.set(path, rulesIn.get(parentOf(path))!.within(joined(base, path), own));
    return false;
  }

  const queue = createQueue(DIRECTORIES_AT_ONCE);
  const start = root.endsWith(sep) ? root : root + sep;
  const relativeTo = (path: string) => {
    if (path.length < start.length) return '';
    const relative = path.slice(start.length);
    if (sep === '/' && !relative.includes('//')) return relative.endsWith('/') ? relative.slice(0, -1) : relative;
    return relative.split(sep).filter(Boolean).join('/');
  };

  function readDirectory(path: string, done: (error: null, entries: readonly object[]) => void): void {
    const directory = relativeTo(path);
    const answer = (error: unknown, entries: readonly Dirent[] = []) => {
      if (error && systemErrorCode(error) !== 'ENOENT') countUnreadable(report, directory);
      if (links) return done(null, links.resolveAll(directory, entries));
      const own = entries.filter((entry) => !entry.isSymbolicLink());
      report.links += entries.length - own.length;
      done(null, own);
    };
    queue.run((end) => {
      const ended = (error: unknown, entries?: readonly Dirent[]) => {
        end();
        answer(error, entries);
      };
      if (memory) memory.read(path, ended);
      else nodeFs.readdir(path, { withFileTypes: true }, ended);
    });
  }

  signal?.throwIfAborted();
  const readdir = (path: string, _options: object, done: never) => readDirectory(path, done);
  const walker = new fdir({
    fs: { ...nodeFs, readdir } as unknown as FSLike,
    exclude: (_name, path) => staysOut(relativeTo(path)),
    filters: [(path) => take(relativeTo(path), 'file')],
    includeBasePath: true,
    ...(signal && { signal }),
  }).crawl(root);
  // An answer of a disk that hangs may never come.
  await unlessAborted(walker.withPromise(), signal);
  signal?.throwIfAborted();
  return { targetOf: (path) => links?.targetOf(path) };
}

/** Begins work while less than `most` of it is under way; the rest waits, in its order. */
function createQueue(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  const end = () => {
    running -= 1;
    waiting.shift()?.();
  };
  return {
    run(work: (end: () => void) => void): void {
      const begin = () => {
        running += 1;
        work(end);
      };
      if (running < most) begin();
      else waiting.push(begin);
    },
  };
}

/**
 * Threads answer in any order. Sorted by depth, then by path, so that a shortened list has the entries nearest to the
 * root.
 */
function nearestFirst(found: readonly FoundName[]): FoundName[] {
  const keyed = found.map((name) => ({ name, depth: name.relativePath.split('/').length }));
  keyed.sort((a, b) => a.depth - b.depth || (a.name.relativePath < b.name.relativePath ? -1 : 1));
  return keyed.map(({ name }) => name);
}

async function* parts(found: readonly FoundName[], signal: AbortSignal | undefined) {
  for (let start = 0; start < found.length; start += NAMES_AT_ONCE) {
    yield found.slice(start, start + NAMES_AT_ONCE);
    await nextTurn();
    signal?.throwIfAborted();
  }
}

/** At once: to hand each file to a thread takes several times as long as to look at it. */
function look(path: string, { relativePath }: FoundName, report: DiscoveryReport) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    countUnreadable(report, relativePath);
    return undefined;
  }
}

/** Undefined if it is gone, or something else by now. */
function describe(root: string, { relativePath, type }: FoundName, stats: nodeFs.Stats | undefined) {
  if (!stats || (type === 'directory' ? !stats.isDirectory() : !stats.isFile())) return undefined;
  const path = absolutePath(root, relativePath);
  return { path, relativePath, type, size: stats.size, modified: stats.mtime } satisfies FileEntry;
}

function absolutePath(root: string, path: string): string {
  if (path === '') return root;
  return (root.endsWith(sep) ? root : root + sep) + (sep === '/' ? path : path.replaceAll('/', sep));
}

/** A name whose bytes are not UTF-8 arrives with U+FFFD in it and leads nowhere. */
function isUnspeakable(name: string): boolean {
  return name.includes('\uFFFD');
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function countUnreadable(report: DiscoveryReport, relativePath: string): void {
  report.unreadable += 1;
  if (report.unreadablePaths.length < MAX_REPORTED_PATHS) report.unreadablePaths.push(relativePath || '.');
}

function countBuiltin(report: DiscoveryReport, name: string): void {
  if (name === '.git') return;
  report.builtin += 1;
  if (!report.builtinNames.includes(name)) report.builtinNames.push(name);
}
