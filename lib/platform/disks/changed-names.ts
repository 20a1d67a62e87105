// Which names of a directory have changed since the last look, so that a caller with a memory need not look at all of
// them again. If the system may miss a change, all of them count as changed: on a disk of other machines, on a system
// that reports late, without a free watch, and once a minute, because reports get lost if too many come at once.
import { type FSWatcher, watch } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { systemErrorCode } from '../../errors/index.ts';
import type { Clock } from '../clock.ts';
import type { FileSystem } from '../files/file-system.ts';
import { fileSystemType } from './file-system-kind.ts';
import { spaceAt } from './space-at.ts';

interface ChangedNamesOptions {
  readonly fileSystem: Pick<FileSystem, 'stat' | 'space'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

const ALL_AGAIN_MS = 60_000;
/** If more names changed, all are looked at. */
const MOST_NAMES = 10_000;

interface Watched {
  readonly watcher: FSWatcher;
  readonly inode: bigint;
  readonly sinceMs: number;
}

/** The changes of one directory, which need not exist yet. To be closed. */
export class ChangedNames {
  readonly #path: string;
  readonly #options: ChangedNamesOptions;
  #watched: Watched | undefined;
  #names = new Set<string>();

  constructor(path: string, options: ChangedNamesOptions) {
    this.#path = path;
    this.#options = options;
  }

  /**
   * What changed since the last call, as far as it happened before this one. To be called before the caller looks: a
   * change that comes while it looks is in the next answer.
   */
  async take(): Promise<ReadonlySet<string> | 'all'> {
    // Reports of the kernel until now arrive before that: the poll of a turn of the loop comes first.
    await breathe();
    await breathe();
    const { clock, fileSystem } = this.#options;
    const inode = this.#inode();
    const watched = this.#watched;
    const isSame = watched !== undefined && watched.inode === inode;
    if (isSame && clock.monotonic() - watched.sinceMs < ALL_AGAIN_MS && this.#names.size <= MOST_NAMES) {
      const names = this.#names;
      this.#names = new Set();
      return names;
    }
    this.close();
    if (inode !== undefined && reportsChanges(fileSystem, this.#path)) this.#watch(inode);
    return 'all';
  }

  close(): void {
    this.#watched?.watcher.close();
    this.#watched = undefined;
    this.#names = new Set();
  }

  #inode(): bigint | undefined {
    try {
      return this.#options.fileSystem.stat(this.#path)?.inode;
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #watch(inode: bigint): void {
    try {
      const watcher = watch(this.#path, { persistent: false }, (_event, name) => {
        if (this.#watched?.watcher !== watcher) return;
        if (name === null) this.close();
        else if (this.#names.size <= MOST_NAMES) this.#names.add(name);
      });
      watcher.on('error', () => {
        if (this.#watched?.watcher === watcher) this.close();
      });
      this.#watched = { watcher, inode, sinceMs: this.#options.clock.monotonic() };
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
    }
  }
}

/** Whether each change is reported before a program that was told about it can ask. */
function reportsChanges(fileSystem: Pick<FileSystem, 'space'>, path: string): boolean {
  if (process.platform !== 'linux') return false;
  const { kind } = fileSystemType(spaceAt(fileSystem, path)?.type ?? 0);
  return kind === 'local' || kind === 'memory';
}
