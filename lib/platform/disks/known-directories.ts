// The entries of directories as they were read before, for as long as the directory itself says that no name in it came
// or went. A caller that lists the same directories again and again reads only those that changed since.
import type { Clock } from '../clock.ts';
import type { DirectoryEntry, FileSystem } from '../files/file-system.ts';
import { isInside } from '../files/inside.ts';
import { stampAt } from './path-stamp.ts';

/** Beyond this many directories, all are forgotten. */
const MOST_KEPT = 50_000;

export class KnownDirectories {
  readonly #inner: FileSystem;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, { readonly stamp: string; readonly entries: readonly DirectoryEntry[] }>();

  constructor({ fileSystem, clock }: { readonly fileSystem: FileSystem; readonly clock: Pick<Clock, 'now'> }) {
    this.#inner = fileSystem;
    this.#clock = clock;
  }

  /** Returns a file system that reads a directory only if it changed since the last time. */
  fileSystem(): FileSystem {
    return { ...this.#inner, readDirectory: (path) => [...this.#entries(path)] };
  }

  /** See path-stamp.ts. Undefined where a change may not show. */
  stampOf(path: string, atMs: number = this.#clock.now()): string | undefined {
    const { text, isCertain } = stampAt(path, { fileSystem: this.#inner, atMs });
    return isCertain ? text : undefined;
  }

  /** Reads these, and all below them, again. */
  forget(paths: readonly string[]): void {
    for (const known of this.#known.keys()) {
      if (paths.some((path) => isInside(path, known))) this.#known.delete(known);
    }
  }

  #entries(path: string): readonly DirectoryEntry[] {
    const stamp = this.stampOf(path);
    const known = this.#known.get(path);
    if (known !== undefined && known.stamp === stamp) return known.entries;
    this.#known.delete(path);
    const entries = this.#inner.readDirectory(path);
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    if (stamp !== undefined) this.#known.set(path, { stamp, entries });
    return entries;
  }
}
