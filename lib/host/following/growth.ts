// Says when files may have grown, so that a follower of one that rests costs nothing: one watch for each directory, and
// for hints that get lost, or a disk that has none, a look now and then. Where many files grow at once, their followers
// are woken a few at a time, so that other work continues in between. A hint that comes while nothing waits for it is
// kept until something does.
import { type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../../platform/log.ts';
import { onAbort } from '../../platform/waiting.ts';

const LOOK_MS = 2_000;
/** Where a directory cannot be watched. */
const UNWATCHED_MS = 100;
/** Each reads what is new, which takes about a tenth of a millisecond. */
const WOKEN_AT_ONCE = 16;

export interface Growth {
  /** Waits until the file may have grown, or the signal aborts. */
  wait(path: string, signal: AbortSignal): Promise<void>;
  /** The file has grown. */
  hint(path: string): void;
  /** Waits no more for it. */
  forget(path: string): void;
  close(): void;
}

interface WatchedFile {
  hasGrown: boolean;
  wake: (() => void) | undefined;
}

interface WatchedDirectory {
  readonly watcher: FSWatcher | undefined;
  files: number;
}

export function createGrowth(log: Log): Growth {
  const files = new Map<string, WatchedFile>();
  const directories = new Map<string, WatchedDirectory>();
  const due = new Set<() => void>();

  function hint(path: string): void {
    const file = files.get(path);
    if (file === undefined) return;
    if (file.wake === undefined) file.hasGrown = true;
    else wakeSoon(file.wake);
  }

  function wakeSoon(wake: () => void): void {
    if (due.size === 0) setImmediate(wakeSome);
    due.add(wake);
  }

  function wakeSome(): void {
    let woken = 0;
    for (const wake of due) {
      if (woken === WOKEN_AT_ONCE) break;
      due.delete(wake);
      wake();
      woken += 1;
    }
    if (due.size > 0) setImmediate(wakeSome);
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

  function fileOf(path: string): WatchedFile {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = { hasGrown: false, wake: undefined };
    files.set(path, file);
    const directory = directories.get(dirname(path));
    if (directory !== undefined) directory.files += 1;
    else directories.set(dirname(path), { watcher: watchDirectory(dirname(path)), files: 1 });
    return file;
  }

  return {
    hint,
    async wait(path, signal) {
      const file = fileOf(path);
      if (file.hasGrown || signal.aborted) {
        file.hasGrown = false;
        return;
      }
      const isWatched = directories.get(dirname(path))?.watcher !== undefined;
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          due.delete(end);
          stopListening();
          file.wake = undefined;
          resolve();
        };
        const timer = setTimeout(() => wakeSoon(end), isWatched ? LOOK_MS : UNWATCHED_MS);
        timer.unref();
        const stopListening = onAbort(signal, end);
        file.wake = end;
      });
    },
    forget(path) {
      if (!files.delete(path)) return;
      const directory = directories.get(dirname(path));
      if (directory === undefined || --directory.files > 0) return;
      directory.watcher?.close();
      directories.delete(dirname(path));
    },
    close() {
      for (const { watcher } of directories.values()) watcher?.close();
      directories.clear();
      for (const { wake } of files.values()) wake?.();
      files.clear();
    },
  };
}
