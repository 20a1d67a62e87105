// The files of the project for an `@path` of which only some letters are known: found by letters that follow one
// another anywhere in the path. Walked when it is first needed, and again once that was some time ago: in a large
// project with what was found before meanwhile. A Tab that is given up leaves the walk to the next one.
import { relative, resolve, sep } from 'node:path';
import type { App } from '../app/app.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { waitFor } from '../platform/waiting.ts';

/** Paths relative to the working directory, best first. */
export type FindFiles = (typed: string) => readonly string[];

const FRESH_MS = 30_000;
/** How long a Tab waits for what is new since the last walk. */
const PATIENCE_MS = 300;
const MOST_FOUND = 200;
/** From 0, any match, to 1, an exact one. */
const WORST_SCORE = 0.2;

interface Searched {
  readonly find: FindFiles;
  readonly walkedMs: number;
}

export class FuzzyFiles {
  #searched: Searched | undefined;
  #walk: Promise<Searched> | undefined;

  async finder(app: App): Promise<FindFiles> {
    const known = this.#searched;
    if (known !== undefined && app.clock.monotonic() - known.walkedMs < FRESH_MS) return known.find;
    this.#walk ??= search(app)
      .then((searched) => {
        this.#searched = searched;
        return searched;
      })
      .finally(() => {
        this.#walk = undefined;
      });
    const walk = this.#walk;
    if (known === undefined) return (await walk).find;
    const walked = await waitFor(walk, { timeoutMs: PATIENCE_MS });
    return walked.kind === 'done' ? walked.value.find : known.find;
  }
}

async function search(app: App): Promise<Searched> {
  const [{ findFileNames }, { default: fuzzysort }] = await Promise.all([
    import('../app/project/find-files.ts'),
    import('fuzzysort'),
  ]);
  const { files } = await findFileNames(app, { root: app.paths.project });
  const paths = files
    .map(({ relativePath }) => relative(app.cwd, resolve(app.paths.project, relativePath)).split(sep).join('/'))
    // A name that would have to be changed to be shown is not offered.
    .filter((path) => sanitizeLine(path) === path);
  const snapshot = fuzzysort.snapshot(paths);
  const find: FindFiles = (typed) =>
    typed.trim() === ''
      ? paths.slice(0, MOST_FOUND)
      : fuzzysort.go(typed, snapshot, { limit: MOST_FOUND, threshold: WORST_SCORE }).map(({ target }) => target);
  return { find, walkedMs: app.clock.monotonic() };
}
