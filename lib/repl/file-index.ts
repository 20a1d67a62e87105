// Paths of files, ranked by letters that follow one another anywhere in them. It grows during use: a new path is
// compared once with the typed text, without comparing all others again.
import type { Fuzzysort, Prepared } from 'fuzzysort';

type Ranking = Pick<Fuzzysort, 'go' | 'prepare'>;

interface Ranked {
  readonly path: string;
  readonly score: number;
}

interface Asked {
  readonly typed: string;
  /** Best first. */
  best: readonly Ranked[];
  /** How many of the paths it was compared with. */
  compared: number;
}

export const MOST_FOUND = 200;
/** From 0, any match, to 1, an exact one. */
const WORST_SCORE = 0.2;

export class FileIndex {
  readonly #ranking: Ranking;
  readonly #prepared: Prepared[] = [];
  /** By the number of their directories. */
  readonly #byDepth: string[][] = [];
  #asked: Asked | undefined;

  /** `ranking`: the package fuzzysort. */
  constructor(ranking: Ranking) {
    this.#ranking = ranking;
  }

  get size(): number {
    return this.#prepared.length;
  }

  add(paths: readonly string[]): void {
    for (const path of paths) {
      this.#prepared.push(this.#ranking.prepare(path));
      const depth = depthOf(path);
      this.#byDepth[depth] ??= [];
      this.#byDepth[depth].push(path);
    }
  }

  /** At most MOST_FOUND, best first; where nothing is typed, those with the fewest directories. */
  find(typed: string): readonly string[] {
    const words = typed.trim();
    if (words === '') return this.#nearest();
    if (this.#asked?.typed !== words) this.#asked = { typed: words, best: [], compared: 0 };
    const asked = this.#asked;
    if (asked.compared < this.size) {
      const added = asked.compared === 0 ? this.#prepared : this.#prepared.slice(asked.compared);
      const found = this.#ranking.go(words, added, { limit: MOST_FOUND, threshold: WORST_SCORE });
      const ranked = found.map(({ target, score }) => ({ path: target, score }));
      asked.best = [...asked.best, ...ranked].sort(byRank).slice(0, MOST_FOUND);
      asked.compared = this.size;
    }
    return asked.best.map(({ path }) => path);
  }

  #nearest(): readonly string[] {
    const found: string[] = [];
    for (const paths of this.#byDepth) {
      if (paths !== undefined) found.push(...paths.toSorted().slice(0, MOST_FOUND - found.length));
      if (found.length >= MOST_FOUND) break;
    }
    return found;
  }
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth += 1;
  return depth;
}

/** The order of equal matches does not depend on which was found first. */
function byRank(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
