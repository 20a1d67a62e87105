// Says when files may have grown, so that a follower of one that rests costs nothing: one watch for each directory, and
// one timer, because hints get lost, and some disks have none: all its files are looked at now and then. A hint that
// comes while nothing waits for it is kept until something does.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../platform/log.ts';
import { onAbort } from '../../platform/waiting.ts';
import { createWaking } from './waking.ts';

const LOOK_MS = 2_000;
/** Where a directory cannot be watched. */
const UNWATCHED_MS = 100;

/** The waiting of one follower for one file. */
interface FileGrowth {
  /** Waits until the file may have grown, or the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
  /** Waits no more for it. */
  end(): void;
}

export interface Growth {
  of(path: string): FileGrowth;
  /** The file has grown. */
  hint(path: string): void;
  close(): void;
}

interface Waiting {
  readonly name: string;
  hasGrown: boolean;
  wake: (() => void) | undefined;
}

interface WatchedDirectory {
  readonly watcher: FSWatcher | undefined;
  readonly looks: NodeJS.Timeout;
  readonly waiting: Map<string, Set<Waiting>>;
}

export function createGrowth(log: Log): Growth {
  const directories = new Map<string, WatchedDirectory>();
  const waking = createWaking();

  function hint(path: string): void {
    for (const each of directories.get(dirname(path))?.waiting.get(basename(path)) ?? []) {
      if (each.wake === undefined) each.hasGrown = true;
      else waking.soon(each.wake);
    }
  }

  function watchDirectory(path: string): FSWatcher | undefined {
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (name !== null) hint(join(path, name));
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch (error) {
      const fields = { service: 'host', operation: 'watch', path, error };
      log.warn({ ...fields, action: 'Its files are looked at ten times a second.' }, 'A directory cannot be watched');
      return undefined;
    }
  }

  function directoryAt(path: string): WatchedDirectory {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const watcher = watchDirectory(path);
    const waiting: WatchedDirectory['waiting'] = new Map();
    const look = (): void => {
      for (const all of waiting.values()) for (const { wake } of all) if (wake !== undefined) waking.soon(wake);
    };
    const looks = setInterval(look, watcher === undefined ? UNWATCHED_MS : LOOK_MS).unref();
    const directory = { watcher, looks, waiting };
    directories.set(path, directory);
    return directory;
  }

  function begin(path: string): Waiting {
    const { waiting } = directoryAt(dirname(path));
    const name = basename(path);
    const begun: Waiting = { name, hasGrown: false, wake: undefined };
    const all = waiting.get(name) ?? new Set();
    waiting.set(name, all.add(begun));
    return begun;
  }

  function end(path: string, ended: Waiting): void {
    const directory = directories.get(dirname(path));
    const all = directory?.waiting.get(ended.name);
    if (directory === undefined || !all?.delete(ended)) return;
    if (all.size === 0) directory.waiting.delete(ended.name);
    if (directory.waiting.size > 0) return;
    leave(directory);
    directories.delete(dirname(path));
  }

  function leave({ watcher, looks }: WatchedDirectory): void {
    watcher?.close();
    clearInterval(looks);
  }

  return {
    hint,
    of(path) {
      const own = begin(path);
      return {
        async wait(signal) {
          if (!own.hasGrown && !signal.aborted) {
            await new Promise<void>((resolve) => {
              const wake = () => {
                waking.remove(wake);
                stopListening();
                own.wake = undefined;
                resolve();
              };
              const stopListening = onAbort(signal, wake);
              own.wake = wake;
            });
          }
          own.hasGrown = false;
        },
        end: () => end(path, own),
      };
    },
    close() {
      for (const directory of directories.values()) {
        leave(directory);
        for (const all of directory.waiting.values()) for (const { wake } of all) wake?.();
      }
      directories.clear();
    },
  };
}
