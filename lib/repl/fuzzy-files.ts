// The files of the project for an `@path` of which only some letters are known. They are walked in the background as
// soon as an @ is typed; files found until now are available at any moment. A later walk adds new files, and replaces
// the earlier ones when it is complete.
import { relative, resolve, sep } from 'node:path';
import type { App } from '../app/app.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { waitFor } from '../platform/waiting.ts';
import type { FileIndex } from './file-index.ts';

/** How long a walk is good for at least, and in times of its own length. */
const FRESH_MS = 2_000;
const FRESH_TIMES = 20;
/** Files that are added together while the walk continues. */
const BATCH = 1_000;
/** Between two reports that there are more. */
const REPORT_MS = 100;

export class FuzzyFiles {
  readonly #app: App;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #index: FileIndex | undefined;
  #walk: Promise<void> | undefined;
  #isComplete = false;
  #freshUntilMs = 0;
  #report: NodeJS.Timeout | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  /** Whether a walk has been completed. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Walks in the background, unless the last walk is still good. */
  begin(): void {
    const { clock } = this.#app;
    if (this.#walk !== undefined || this.#stopping.signal.aborted) return;
    if (this.#isComplete && clock.monotonic() < this.#freshUntilMs) return;
    const beganMs = clock.monotonic();
    this.#walk = this.#take()
      .catch(() => undefined)
      .finally(() => {
        const endMs = clock.monotonic();
        this.#walk = undefined;
        this.#freshUntilMs = endMs + Math.max(FRESH_MS, FRESH_TIMES * (endMs - beganMs));
        this.#isComplete = true;
        this.#reportNow();
      });
  }

  /** Waits for the walk, if one is under way, not longer than the limit. */
  async settled(limits: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<void> {
    if (this.#walk !== undefined) await waitFor(this.#walk, limits);
  }

  /** Paths relative to the working directory, best first, among those found until now. */
  find(typed: string): readonly string[] {
    return this.#index?.find(typed) ?? [];
  }

  /** Calls back when there is more to find. Returns how to end that. */
  readonly onMore = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Ends a walk that is under way; none begins after it. */
  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#report);
    this.#listeners.clear();
  }

  async #take(): Promise<void> {
    const [{ walkFileNames }, { FileIndex: Index }, { default: fuzzysort }] = await Promise.all([
      import('../app/project/find-files.ts'),
      import('./file-index.ts'),
      import('fuzzysort'),
    ]);
    const { paths } = this.#app;
    const index = new Index(fuzzysort);
    if (!this.#isComplete) this.#index = index;
    const pathOf = relativeToWork(this.#app);
    let batch: string[] = [];
    const endBatch = () => {
      index.add(batch);
      batch = [];
      if (this.#index === index) this.#reportSoon();
    };
    await walkFileNames(this.#app, { root: paths.project, signal: this.#stopping.signal }, (found) => {
      const path = pathOf(found);
      // A name that would have to be changed to be shown is not offered.
      if (sanitizeLine(path) === path) batch.push(path);
      if (batch.length >= BATCH) endBatch();
    });
    endBatch();
    this.#index = index;
  }

  #reportSoon(): void {
    this.#report ??= setTimeout(() => this.#reportNow(), REPORT_MS).unref();
  }

  #reportNow(): void {
    clearTimeout(this.#report);
    this.#report = undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** From a path below the project to one from the working directory, with `/` between its parts. */
function relativeToWork({ cwd, paths }: Pick<App, 'cwd' | 'paths'>): (path: string) => string {
  const below = relative(paths.project, cwd).split(sep).join('/');
  if (below === '') return (path) => path;
  return (path) =>
    path.startsWith(`${below}/`)
      ? path.slice(below.length + 1)
      : relative(cwd, resolve(paths.project, path)).split(sep).join('/');
}
