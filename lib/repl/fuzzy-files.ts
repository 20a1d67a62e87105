// The files of the project for an `@path` of which only some letters are known: found by letters that follow one
// another anywhere in the path. Walked when it is first needed, and again once that was some time ago.
import { relative, resolve, sep } from 'node:path';
import type { App } from '../app/app.ts';
import { sanitizeLine } from '../display/sanitize.ts';

/** Paths relative to the working directory, best first. */
export type FindFiles = (typed: string) => readonly string[];

const FRESH_MS = 30_000;
const MOST_FOUND = 200;
/** From 0, any match, to 1, an exact one. */
const WORST_SCORE = 0.2;

interface Searched {
  readonly find: FindFiles;
  readonly walkedMs: number;
}

export class FuzzyFiles {
  #searched: Searched | undefined;

  async finder(app: App, signal: AbortSignal): Promise<FindFiles> {
    const known = this.#searched;
    if (known !== undefined && app.clock.monotonic() - known.walkedMs < FRESH_MS) return known.find;
    const [{ findFileNames }, { default: fuzzysort }] = await Promise.all([
      import('../app/project/find-files.ts'),
      import('fuzzysort'),
    ]);
    const { files } = await findFileNames(app, { root: app.paths.project, signal });
    const paths = files
      .map(({ relativePath }) => relative(app.cwd, resolve(app.paths.project, relativePath)).split(sep).join('/'))
      // A name that would have to be changed to be shown is not offered.
      .filter((path) => sanitizeLine(path) === path);
    const snapshot = fuzzysort.snapshot(paths);
    const find: FindFiles = (typed) =>
      typed.trim() === ''
        ? paths.slice(0, MOST_FOUND)
        : fuzzysort.go(typed, snapshot, { limit: MOST_FOUND, threshold: WORST_SCORE }).map(({ target }) => target);
    this.#searched = { find, walkedMs: app.clock.monotonic() };
    return find;
  }
}
