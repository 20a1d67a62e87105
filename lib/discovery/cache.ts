// Remembers what was found, for who asks again and again. It answers from memory only what a walk would find now: every
// directory is watched from before it is read, and whatever stirs in one, or changes in the rule files outside, makes the
// next call walk again. Where the system cannot promise that, every call walks: other systems than Linux tell of changes
// late, network file systems not at all, and what links lead to, or a file under another name of it, lies elsewhere.
import { type FSWatcher, statSync, watch } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { isOnLocalDisk } from './disk.ts';
import { surroundingsOf } from './repository.ts';
import type { Discovery, DiscoveryOptions, DiscoveryReport, Disposable, FileEntry } from './types.ts';
import { allOf, asDiscovery, emptyReport, sorted, type Walk, type WalkObserver, walk } from './walk.ts';

export interface DiscoveryCache extends Disposable {
  discover(options: DiscoveryOptions): Discovery;
  /** In the order of their paths; `report` is filled in. */
  discoverAll(options: DiscoveryOptions, report?: DiscoveryReport): Promise<FileEntry[]>;
}

export interface DiscoveryCacheOptions {
  /** How many trees are remembered; those asked for the longest ago are forgotten. */
  readonly maxTrees?: number | undefined;
  readonly maxEntries?: number | undefined;
  readonly maxDirectories?: number | undefined;
}

interface Remembered {
  readonly entries: readonly FileEntry[];
  readonly report: DiscoveryReport;
  readonly guard: Guard;
}

export function createDiscoveryCache(options: DiscoveryCacheOptions = {}): DiscoveryCache {
  const { maxTrees = 4, maxEntries = 200_000, maxDirectories = 8192 } = options;
  const trees = new Map<string, Remembered>();

  const forget = (key: string) => {
    trees.get(key)?.guard.dispose();
    trees.delete(key);
  };

  async function remembered(request: DiscoveryOptions, report: DiscoveryReport): Promise<Remembered | undefined> {
    const key = keyOf(request);
    const tree = trees.get(key);
    if (!tree || !(await tree.guard.holds())) return undefined;
    trees.delete(key);
    trees.set(key, tree);
    request.signal?.throwIfAborted();
    Object.assign(report, structuredClone(tree.report));
    return tree;
  }

  async function* find(request: DiscoveryOptions, report: DiscoveryReport): AsyncGenerator<readonly FileEntry[]> {
    const tree = await remembered(request, report);
    if (tree) yield tree.entries;
    else yield* walkAndRemember(request, report);
  }

  async function* walkAndRemember(request: DiscoveryOptions, report: DiscoveryReport) {
    const key = keyOf(request);
    forget(key);
    const guard = createGuard(request, maxDirectories);
    const entries: FileEntry[] = [];
    let isWhole = false;
    try {
      for await (const found of walk(request, { observer: guard, report }).entries()) {
        if (entries.length <= maxEntries) entries.push(...found);
        yield found;
      }
      isWhole = entries.length <= maxEntries;
    } finally {
      if (!isWhole || !guard.isIntact()) guard.dispose();
      else {
        forget(key);
        trees.set(key, { entries: sorted(entries), report: structuredClone(report), guard });
        if (trees.size > maxTrees) forget(trees.keys().next().value!);
      }
    }
  }

  function walkFor(request: DiscoveryOptions, report: DiscoveryReport): Walk {
    const alone = walk(request, { report });
    return {
      report,
      entries: () => (canRemember(request) ? find(request, report) : alone.entries()),
      // To remember names, each file would have to be looked at.
      async *names() {
        const tree = await remembered(request, report);
        if (tree) yield tree.entries;
        else yield* alone.names();
      },
    };
  }

  return {
    discover: (request) => asDiscovery(walkFor(request, emptyReport()), request.signal),
    async discoverAll(request, report = emptyReport()) {
      const tree = await remembered(request, report);
      return tree ? [...tree.entries] : allOf(walkFor(request, report));
    },
    dispose() {
      for (const key of trees.keys()) forget(key);
    },
  };
}

function canRemember({ root, followSymlinks }: DiscoveryOptions): boolean {
  // Linux tells of a change on a disk of its own before whoever made it goes on.
  return !followSymlinks && isOnLocalDisk(root);
}

function keyOf({ signal: _, root, ...options }: DiscoveryOptions): string {
  return JSON.stringify([resolve(root), Object.entries(options).sort()]);
}

interface Guard extends Disposable, WalkObserver {
  /** Whether nothing has stirred, as far as was told. */
  isIntact(): boolean;
  /** The same, once everything that happened before the call was told. */
  holds(): Promise<boolean>;
}

function createGuard(request: DiscoveryOptions, maxDirectories: number): Guard {
  const root = resolve(request.root);
  const place = placeOf(root);
  const { fingerprint } = surroundingsOf(root, request);
  const watchers: FSWatcher[] = [];
  let isIntact = true;

  const dispose = () => {
    isIntact = false;
    for (const watcher of watchers.splice(0)) watcher.close();
  };
  return {
    dispose,
    directory(path) {
      if (!isIntact) return;
      if (watchers.length >= maxDirectories) return dispose();
      try {
        watchers.push(watch(path, { persistent: false }, dispose).on('error', dispose));
      } catch {
        // It is gone, or the system watches no more.
        dispose();
      }
    },
    sharedFile: dispose,
    isIntact: () => isIntact,
    async holds() {
      // What the kernel has queued is handed over while the loop waits: the second turn has waited since the call.
      await nextTick();
      await nextTick();
      return isIntact && placeOf(root) === place && surroundingsOf(root, request).fingerprint === fingerprint;
    },
  };
}

/** Another directory may stand at the path, when one above it was moved. */
function placeOf(root: string): string {
  const { dev, ino } = statSync(root);
  return `${dev} ${ino}`;
}
