// Reports new, changed and removed files, as discovery would find them. Its invariant: the files at its start, with all
// changes reported since, equal the result of a discovery now. So when a rule file changes, the files that it hides or
// brings back are reported as gone or new. Links are not followed: their targets are reported under their own paths.
import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { systemSleep } from '../platform/waiting.ts';
import { createPathFilter, type PathFilter } from './path-filter.ts';
import { nameOf, parentOf } from './paths.ts';
import { isRuleFile } from './repository.ts';
import type { ChangeCallback, ChangeType, DiscoveryOptions, Disposable } from './types.ts';
import { checkRoot } from './walk.ts';

export interface WatchOptions extends Omit<DiscoveryOptions, 'root' | 'followSymlinks' | 'signal'> {
  /** Told once for each reason why changes may be missed, such as more directories than the system watches. */
  readonly onProblem?: ((problem: OllmError) => void) | undefined;
}

export interface Watch extends Disposable {
  /** Resolves when every later change will be told, or when it was disposed of before. */
  readonly ready: Promise<void>;
  [Symbol.dispose](): void;
}

/** An editor empties a file before it writes it. */
const RULES_SETTLE_MS = 50;
/** How long after something happened in a directory its files are looked at again. */
const LOOK_AGAIN_MS = 500;

const WATCHING: ChokidarOptions = {
  alwaysStat: true,
  // Discovery finds the temporary files of editors too, so they are reported as they change.
  atomic: false,
  followSymlinks: false,
  ignorePermissionErrors: true,
};

/**
 * @throws OllmError IO_FAILED if the root is not a directory
 * @example
 * const watch = watchChanges('.', (event, path) => console.log(event, path));
 * await watch.ready;
 * watch.dispose();
 */
export function watchChanges(root: string, callback: ChangeCallback, options: WatchOptions = {}): Watch {
  const top = resolve(root);
  checkRoot(top);
  const files = createKnownFiles((event, path) => {
    if (!isDisposed) callback(event, join(top, path));
  });
  const ready = Promise.withResolvers<void>();
  const problems = new Set<string>();
  let watchers: FSWatcher[] = [];
  let isDisposed = false;
  const secondLook = createSecondLook(top, files, tellProblem);

  void watchOverAndOver().catch((error: unknown) => {
    tellProblem(error);
    ready.resolve();
  });
  const dispose = () => {
    isDisposed = true;
    secondLook.end();
    ready.resolve();
    void close();
  };
  return { ready: ready.promise, dispose, [Symbol.dispose]: dispose };

  /** With the rules as they are, until they change; then again. */
  async function watchOverAndOver(): Promise<void> {
    for (let round = 0; !isDisposed; round++) {
      const filter = await createPathFilter({ ...options, root: top });
      const rulesChanged = Promise.withResolvers<void>();
      await scan(filter, round === 0 ? 'first' : 'again', rulesChanged.resolve);
      if (filter.isCurrent()) {
        ready.resolve();
        await rulesChanged.promise;
        await systemSleep(RULES_SETTLE_MS);
      }
      await close();
    }
  }

  async function scan(filter: PathFilter, which: 'first' | 'again', onRulesChanged: () => void): Promise<void> {
    const { watch } = await import('chokidar');
    if (isDisposed) return;
    const seen = new Set<string>();
    let isOver = false;
    const tree = watch(top, { ...WATCHING, ignored: (path, stats) => isIgnored(filter, relativeTo(top, path), stats) });
    watchers.push(tree);
    tree.on('raw', (_event, _name, details) => secondLook.after((details as { watchedPath: string }).watchedPath));
    tree.on('error', tellProblem).on('all', (event, absolute, told) => {
      const path = relativeTo(top, absolute);
      // It may say that a path is gone after something else came to it.
      const stats = told ?? statsNow(absolute);
      const isFound = stats?.isFile() === true && filter.findsFile(path);
      if (isFound) seen.add(path);
      if (event === 'add' && !isOver) {
        if (isFound) files.there(path, stats, which === 'again');
        return;
      }
      if (isFound) files.changed(path, stats, event !== 'add');
      else files.gone(path);
      if (isRuleFile(nameOf(path)) && !filter.isCurrent(parentOf(path))) onRulesChanged();
    });
    if (filter.outerRuleFiles.length > 0) {
      const outer = watch([...filter.outerRuleFiles], { ...WATCHING, followSymlinks: true, ignoreInitial: true });
      watchers.push(outer);
      outer.on('error', tellProblem).on('all', () => {
        if (!filter.isCurrent()) onRulesChanged();
      });
    }
    await Promise.all(watchers.map((watcher) => new Promise<void>((done) => watcher.once('ready', done))));
    isOver = true;
    if (which === 'again') files.keepOnly(seen);
  }

  async function close(): Promise<void> {
    const closing = watchers;
    watchers = [];
    await Promise.all(closing.map((watcher) => watcher.close()));
  }

  function tellProblem(error: unknown): void {
    const code = systemErrorCode(error) ?? 'unknown';
    if (isDisposed || problems.has(code)) return;
    problems.add(code);
    const isLimit = code === 'ENOSPC' || code === 'EMFILE';
    options.onProblem?.(
      new OllmError('IO_FAILED', `Changes in ${top} may be missed: ${(error as Error).message}`, {
        hint: isLimit
          ? 'The system watches no more directories. Raise its limit (fs.inotify.max_user_watches), or leave some out.'
          : 'Look at the directory, and start again.',
        data: { path: top, code },
        cause: error,
      }),
    );
  }
}

function statsNow(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A directory on the way is gone too, or may not be entered.
    return undefined;
  }
}

/**
 * Looks at files again a moment after something happened in their directory: in a burst the watcher may miss that a
 * file changed, though not that something happened.
 */
function createSecondLook(top: string, files: KnownFiles, onProblem: (error: unknown) => void) {
  const directories = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  async function look(): Promise<void> {
    timer = undefined;
    const paths = files.within(directories);
    directories.clear();
    for (const path of paths) {
      const facts = await lstat(join(top, path)).catch(() => undefined);
      if (isOver) return;
      if (facts?.isFile()) files.again(path, facts);
    }
  }

  return {
    after(watched: string): void {
      if (isOver) return;
      directories.add(relativeTo(top, watched));
      timer ??= setTimeout(() => void look().catch(onProblem), LOOK_AGAIN_MS).unref();
    },
    end(): void {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

type KnownFiles = ReturnType<typeof createKnownFiles>;

interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** The files that are there as far as the caller was told, with what tells one state of a file from the next. */
function createKnownFiles(tell: (event: ChangeType, path: string) => void) {
  const known = new Map<string, string>();
  const stateOf = ({ size, mtimeMs, ino }: FileFacts) => `${size} ${mtimeMs} ${ino}`;

  function gone(path: string): void {
    if (known.delete(path)) tell('unlink', path);
  }

  return {
    gone,
    /**
     * A change reported by a watcher. `wasThere`: it had seen something at this path before, so a new file replaced a
     * directory.
     */
    changed(path: string, facts: FileFacts, wasThere: boolean): void {
      if (known.get(path) === stateOf(facts)) return;
      const isNew = !known.has(path);
      if (isNew && wasThere) for (const other of known.keys()) if (other.startsWith(`${path}/`)) gone(other);
      if (isNew) for (let above = parentOf(path); above !== ''; above = parentOf(above)) gone(above);
      known.set(path, stateOf(facts));
      tell(isNew ? 'add' : 'change', path);
    },
    /** As a scan finds; where it is told, a file that is the same as before is not news. */
    there(path: string, facts: FileFacts, isTold: boolean): void {
      if (isTold) this.changed(path, facts, false);
      else known.set(path, stateOf(facts));
    },
    /** As it is now, where it is still known. */
    again(path: string, facts: FileFacts): void {
      if (known.has(path)) this.changed(path, facts, false);
    },
    within(directories: ReadonlySet<string>): string[] {
      return [...known.keys()].filter((path) => directories.has(parentOf(path)) || directories.has(path));
    },
    keepOnly(paths: ReadonlySet<string>): void {
      for (const path of known.keys()) if (!paths.has(path)) gone(path);
    },
  };
}

/** Without stats its kind is not known yet: then it must be ignored as a file and as a directory. */
function isIgnored(filter: PathFilter, path: string, stats: { isDirectory(): boolean } | undefined): boolean {
  if (path === '') return false;
  const isRules = isRuleFile(nameOf(path)) && filter.entersDirectory(parentOf(path));
  const isOutAsFile = !isRules && !filter.findsFile(path);
  if (stats === undefined) return isOutAsFile && !filter.entersDirectory(path);
  return stats.isDirectory() ? !filter.entersDirectory(path) : isOutAsFile;
}

function relativeTo(root: string, path: string): string {
  const found = relative(root, path);
  return sep === '/' ? found : found.replaceAll(sep, '/');
}
