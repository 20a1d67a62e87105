// Remembers what was found, for who asks again and again. It answers from memory only what a walk would find now: every
// directory is watched from before it is read, and whatever stirs in one, or changes in the rule files outside, makes the
// next call walk again. Where the system cannot promise that, every call walks: other systems than Linux tell of changes
// late, network file systems not at all, and what links lead to, or a file under another name of it, lies elsewhere.
import { type FSWatcher, statfsSync, statSync, watch } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { surroundingsOf } from './repository.ts';
import type { Discovery, DiscoveryOptions, DiscoveryReport, Disposable, FileEntry } from './types.ts';
import { allOf, discover, discoverObserved, emptyReport, sorted, type WalkObserver } from './walk.ts';

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

/** Kernels that tell of a change before whoever made it goes on. */
const IS_TOLD_AT_ONCE = process.platform === 'linux';

/** statfs types of the local file systems of Linux: ext, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS, bcachefs. */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

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

  async function* find(request: DiscoveryOptions, report: DiscoveryReport): AsyncGenerator<FileEntry> {
    const tree = await remembered(request, report);
    if (!tree) return yield* walkAndRemember(request, report);
    for (const entry of tree.entries) {
      yield entry;
      request.signal?.throwIfAborted();
    }
  }

  async function* walkAndRemember(request: DiscoveryOptions, report: DiscoveryReport) {
    const key = keyOf(request);
    forget(key);
    const guard = createGuard(request, maxDirectories);
    const found = discoverObserved(request, guard);
    const entries: FileEntry[] = [];
    let isWhole = false;
    try {
      for await (const entry of found) {
        if (entries.length <= maxEntries) entries.push(entry);
        yield entry;
      }
      isWhole = entries.length <= maxEntries;
    } finally {
      Object.assign(report, found.report);
      if (!isWhole || !guard.isIntact()) guard.dispose();
      else {
        forget(key);
        trees.set(key, { entries: sorted(entries), report: structuredClone(found.report), guard });
        if (trees.size > maxTrees) forget(trees.keys().next().value!);
      }
    }
  }

  const discoverInto = (request: DiscoveryOptions, report: DiscoveryReport): Discovery => ({
    report,
    [Symbol.asyncIterator]: () => (canRemember(request) ? find : walkAlone)(request, report),
  });

  return {
    discover: (request) => discoverInto(request, emptyReport()),
    async discoverAll(request, report = emptyReport()) {
      const tree = await remembered(request, report);
      return tree ? [...tree.entries] : allOf(discoverInto(request, report));
    },
    dispose() {
      for (const key of trees.keys()) forget(key);
    },
  };
}

async function* walkAlone(request: DiscoveryOptions, report: DiscoveryReport): AsyncGenerator<FileEntry> {
  const found = discover(request);
  try {
    yield* found;
  } finally {
    Object.assign(report, found.report);
  }
}

function canRemember({ root, followSymlinks }: DiscoveryOptions): boolean {
  if (!IS_TOLD_AT_ONCE || followSymlinks) return false;
  try {
    return LOCAL_FILE_SYSTEMS.has(statfsSync(root).type);
  } catch {
    return false;
  }
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
