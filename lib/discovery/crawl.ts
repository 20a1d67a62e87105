// Goes through a project's tree level by level and gives the names it finds, as many at a time as a directory has. Ignored
// directories are not entered, and no file is looked at: what a directory says of its entries is enough. It reads on when the
// names were taken, and lets the program do something else every few milliseconds, however long that takes.
import { type Dirent, lstatSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemErrorCode } from '../errors/index.ts';
import type { Disk, MaybeLater } from './disk.ts';
import { globFilter } from './globs.ts';
import type { IgnoreRules, Judge } from './ignore-rules.ts';
import type { LinkResolver, ResolvedEntry } from './links.ts';
import { joined } from './paths.ts';
import { isRuleFile, readRuleFiles, surroundingsOf } from './repository.ts';
import type { DiscoveryOptions, DiscoveryReport, FoundName } from './types.ts';

/** Small enough that looking at so many files is no long step either. */
const MAX_NAMES_AT_ONCE = 128;
const SLICE_MS = 8;
const MAX_REPORTED_PATHS = 20;

export interface Crawl {
  readonly options: DiscoveryOptions;
  /** Of a path relative to the root. */
  readonly absolute: (path: string) => string;
  readonly disk: Pick<Disk, 'list' | 'readAhead'>;
  readonly report: DiscoveryReport;
  /** Undefined: links are not followed. */
  readonly links: LinkResolver | undefined;
  /** Told of each directory, absolute, before anything is read from it. */
  readonly onDirectory: (path: string) => void;
}

interface Directory {
  /** From the root, where the root itself is ''. */
  readonly path: string;
  /** Those that hold in the directory it lies in. */
  readonly rules: IgnoreRules;
}

/** @throws the signal's reason once it is aborted */
export async function* crawl(request: Crawl): AsyncGenerator<readonly FoundName[], void, void> {
  const { options, absolute, report, links, onDirectory } = request;
  const { maxDepth = Number.POSITIVE_INFINITY } = options;
  const { base, rules: outerRules } = surroundingsOf(absolute(''), options);
  const globs = await globFilter(options.includePatterns, options.excludePatterns);
  report.warnings.push(...globs.warnings);
  const letOthersIn = turnTaker();

  let level: Directory[] = [{ path: '', rules: outerRules }];
  for (let depth = 0; level.length > 0; depth++) {
    const below: Directory[] = [];
    for await (const [directory, entries] of read(level, request)) {
      const fromTop = joined(base, directory.path);
      const rules = entries.some(({ name }) => isRuleFile(name))
        ? directory.rules.within(fromTop, readRuleFiles(absolute(directory.path)))
        : directory.rules;
      const isLeftOut = rules.judge(fromTop);
      for (let start = 0; start < entries.length; start += MAX_NAMES_AT_ONCE) {
        const some = entries.slice(start, start + MAX_NAMES_AT_ONCE);
        const found = findAmong(some, directory.path, isLeftOut);
        for (const { type, relativePath: path } of found) {
          if (type === 'directory') enter({ path, rules }, depth, below);
        }
        const names = found.filter(({ relativePath }) => globs.includes(relativePath));
        if (names.length > 0) yield names;
        await letOthersIn();
      }
    }
    level = below;
  }

  /** Those that are files and directories of the project. */
  function findAmong(entries: readonly Dirent[], directory: string, isLeftOut: Judge): FoundName[] {
    const found: FoundName[] = [];
    for (const entry of links ? links.resolveAll(directory, entries) : entries) {
      const type = typeOf(entry);
      if (type === undefined) {
        if (entry.isSymbolicLink()) report.links += 1;
        continue;
      }
      const path = joined(directory, entry.name);
      if (globs.excludes(path) || isLeftOut(entry.name, type === 'directory')) continue;
      if (isUnspeakable(entry.name) && !isThere(absolute(path))) countUnreadable(report, path);
      else found.push({ relativePath: path, type });
    }
    return found;
  }

  function enter(directory: Directory, depth: number, below: Directory[]): void {
    if (depth < maxDepth) {
      below.push(directory);
      return;
    }
    report.tooDeep += 1;
    onDirectory(absolute(directory.path));
  }
}

/** The directories with what is in them, some read ahead where that helps. */
async function* read(
  directories: readonly Directory[],
  { options: { signal }, absolute, disk, report, onDirectory }: Crawl,
): AsyncGenerator<[Directory, readonly Dirent[]], void, void> {
  const readings: MaybeLater<Dirent[]>[] = [];
  let asked = 0;
  for (const directory of directories) {
    for (; readings.length < disk.readAhead && asked < directories.length; asked++)
      readings.push(ask(directories[asked]!));
    const entries = await readings.shift()!;
    signal?.throwIfAborted();
    yield [directory, entries];
  }

  function ask({ path }: Directory): MaybeLater<Dirent[]> {
    onDirectory(absolute(path));
    return disk.list(
      absolute(path),
      (error) => {
        if (systemErrorCode(error) !== 'ENOENT') countUnreadable(report, path);
        return [];
      },
      signal,
    );
  }
}

function typeOf(entry: ResolvedEntry): FoundName['type'] | undefined {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : undefined;
}

/** A name whose bytes are no UTF-8 arrives with U+FFFD in it and leads nowhere. */
function isUnspeakable(name: string): boolean {
  return name.includes('\uFFFD');
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function countUnreadable(report: DiscoveryReport, relativePath: string): void {
  report.unreadable += 1;
  if (report.unreadablePaths.length < MAX_REPORTED_PATHS) report.unreadablePaths.push(relativePath || '.');
}

/** To be awaited now and then: also who takes the names may keep the program busy. */
function turnTaker(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await nextTurn();
    began = performance.now();
  };
}
