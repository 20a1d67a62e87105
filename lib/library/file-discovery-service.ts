// Finds the files of projects and watches them. A later call for the same tree reads only the directories in which an
// entry came or went.
import { createDirectoryMemory } from '../discovery/directory-memory.ts';
import { loadIgnorePatterns, shouldIgnore } from '../discovery/patterns.ts';
import type {
  ChangeCallback,
  DiscoveryReport,
  DiscoveryOptions as DiscoverySettings,
  Disposable,
  FileEntry,
} from '../discovery/types.ts';
import { discover, sorted } from '../discovery/walk.ts';
import { type Watch, watchChanges } from '../discovery/watch.ts';
import { checkArguments, checkAsyncCalls, checkCalls } from '../errors/arguments.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { redactedLog } from './redacted-log.ts';

export type { ChangeCallback, Disposable, FileEntry, Watch };

export interface FileDiscoveryOptions {
  readonly root: string;
  /** Levels below the root that are entered: 0 is only the root. */
  readonly maxDepth?: number | undefined;
  /** Globs; an entry must match one of them. A glob without `/` is matched only against the name. */
  readonly includePatterns?: readonly string[] | undefined;
  /** Globs; an entry that matches one is left out, and a directory that does is not entered. */
  readonly excludePatterns?: readonly string[] | undefined;
  readonly followSymlinks?: boolean | undefined;
}

export interface FileDiscoveryService {
  /** Entries as they are found, no faster than they are taken. */
  discover(options: FileDiscoveryOptions): AsyncIterable<FileEntry>;
  /** All of them, in the order of their paths. */
  discoverAll(options: FileDiscoveryOptions): Promise<FileEntry[]>;
  /**
   * Reports files that are added, change and are removed, by their absolute paths, under the same rules. Changes before
   * the promise `ready` of the result resolves are not reported.
   */
  watchChanges(root: string, callback: ChangeCallback): Watch;
  /** The ignore rules of one directory, in the order in which they apply. */
  loadIgnorePatterns(root: string): Promise<string[]>;
  /** Whether such rules leave out a path that is relative to their directory; a directory ends in `/`. */
  shouldIgnore(path: string, patterns: readonly string[]): boolean;
}

/** Defaults for every call. */
export interface FileDiscoverySettings
  extends Pick<DiscoverySettings, 'maxDepth' | 'followSymlinks' | 'builtinIgnores' | 'globalExcludes'> {
  readonly log?: Log | undefined;
}

/**
 * `dispose` ends every watch that was started here, and frees the memory of directories; each watch can also be
 * disposed of by itself.
 *
 * @example
 * const files = createFileDiscoveryService({ maxDepth: 10 });
 * const found = files.discover({ root: '.', includePatterns: ['*.ts'] });
 * for await (const { relativePath } of found) console.log(relativePath);
 */
export function createFileDiscoveryService(settings: FileDiscoverySettings = {}): FileDiscoveryService & Disposable {
  checkArguments('createFileDiscoveryService', { settings: 'object' }, [settings]);
  const { log: given = silentLog, ...defaults } = settings;
  const log = redactedLog(given);
  const watches = new Set<Disposable>();
  const memory = createDirectoryMemory({ now: Date.now });
  const withDefaults = (options: FileDiscoveryOptions): DiscoverySettings => ({ ...defaults, ...options });
  const { followSymlinks: _, ...forWatching } = defaults;

  function logReport(root: string, { unreadable, unreadablePaths, warnings }: DiscoveryReport): void {
    const fields = { service: 'discovery', operation: 'discover', root };
    for (const warning of warnings) log.warn({ ...fields, action: 'Correct the pattern.' }, warning);
    if (unreadable > 0) log.warn({ ...fields, unreadable, unreadablePaths }, 'Some files could not be read');
  }

  const service: FileDiscoveryService & Disposable = {
    async *discover(options) {
      const found = discover(withDefaults(options), memory);
      yield* found;
      logReport(options.root, found.report);
    },
    async discoverAll(options) {
      const entries: FileEntry[] = [];
      for await (const entry of service.discover(options)) entries.push(entry);
      return sorted(entries);
    },
    watchChanges(root, callback) {
      const watch = watchChanges(root, callback, {
        ...forWatching,
        onProblem: ({ message, hint }) =>
          log.warn({ service: 'discovery', operation: 'watch', ...(hint ? { action: hint } : {}) }, message),
      });
      watches.add(watch);
      return watch;
    },
    loadIgnorePatterns,
    shouldIgnore,
    dispose() {
      for (const watch of watches) watch.dispose();
      watches.clear();
      memory.forget();
    },
  };
  const options = { root: 'text', 'includePatterns?': 'list of texts', 'excludePatterns?': 'list of texts' } as const;
  checkCalls(service, {
    discover: { options },
    watchChanges: { root: 'text', callback: 'function' },
    shouldIgnore: { path: 'text', patterns: 'list of texts' },
  });
  return checkAsyncCalls(service, { discoverAll: { options }, loadIgnorePatterns: { root: 'text' } });
}
