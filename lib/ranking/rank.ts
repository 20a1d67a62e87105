// Which texts answer a question best: Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
// 2009) over the terms of the question alone. A rare term counts for more than a frequent one, the third occurrence for
// less than the first, and a term in the path or in a heading for more than one in the text. Pure.
import { mayHold, type Query, wordsIn } from './words.ts';

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
/** A term in the path counts like so many in the text. */
const COUNT_OF_PATH = 8;
/** To a question a heading says what its page is about: a term in it counts like so many in the text. */
const COUNT_OF_HEADING = 4;
const HEADING = /^#{1,3} .*$/gm;
/** A text with all the words goes before one with a single word many times. */
const COVERAGE_WEIGHT = 0.7;

/** Files that programs write, and histories: long lists of every word. */
const WRITTEN_BY_PROGRAMS =
  /(?:^|\/)(?:package-lock\.json|[^/]*\.lock|[^/]*\.min\.[a-z]+|[^/]*[.-]lock\.ya?ml|[^/]*\.generated\.[a-z]+|[^/]*\.map|changelog[^/]*)$/i;
/** They say the same words as what they test, and less about it. */
const TESTS = /(?:^|\/)(?:__tests__|tests?|specs?)\/|[._](?:test|spec)\.[a-z]+$/i;
const PROSE = /\.(?:md|markdown|mdx|rst|adoc|txt)$/i;
const PROSE_FOR_QUESTIONS = 2;

interface Counted<Item> {
  readonly item: Item;
  readonly path: string;
  /** How often each term is in it. */
  readonly counts: readonly number[];
  readonly length: number;
}

/** Takes one text after the other, and keeps of each how often the terms are in it. */
export class Ranking<Item> {
  readonly #query: Query;
  readonly #places: ReadonlyMap<string, number>;
  readonly #counted: Counted<Item>[] = [];
  #texts = 0;

  constructor(query: Query) {
    this.#query = query;
    this.#places = new Map(query.terms.map(({ stem }, index) => [stem, index]));
  }

  add(item: Item, text: string, path = ''): void {
    this.#texts += 1;
    const inPath = this.#count(path);
    const inText = this.#count(text);
    const isHeld = inText.some((count) => count > 0);
    const headings =
      isHeld && this.#query.isQuestion && PROSE.test(path) ? this.#count(text.match(HEADING)?.join('\n') ?? '') : [];
    const counts = inText.map(
      (count, index) =>
        count + (inPath[index]! > 0 ? COUNT_OF_PATH : 0) + ((headings[index] ?? 0) > 0 ? COUNT_OF_HEADING : 0),
    );
    if (counts.some((count) => count > 0)) this.#counted.push({ item, path, counts, length: text.length });
  }

  /** How much each term tells: more, the fewer texts hold it. Zero if none does. */
  weights(): readonly number[] {
    return this.#query.terms.map((_, index) => {
      const holding = this.#counted.filter(({ counts }) => counts[index]! > 0).length;
      return holding === 0 ? 0 : Math.log(1 + (this.#texts - holding + 0.5) / (holding + 0.5));
    });
  }

  /** Best first; of two that are equal, the one whose path comes first, or that was added first. */
  best(): readonly { readonly item: Item; readonly score: number }[] {
    const weights = this.weights();
    const average = this.#counted.reduce((sum, { length }) => sum + length, 0) / this.#counted.length || 1;
    return this.#counted
      .map((counted) => ({ ...counted, score: this.#score(counted, weights, average) }))
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  #count(text: string): number[] {
    const counts = this.#query.terms.map(() => 0);
    if (!mayHold(text, this.#query)) return counts;
    for (const { stem } of wordsIn(text)) {
      const place = this.#places.get(stem);
      if (place !== undefined) counts[place]! += 1;
    }
    return counts;
  }

  #score({ path, counts, length }: Counted<Item>, weights: readonly number[], average: number): number {
    const lengthFactor = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * (length / average);
    let [score, found, sought] = [0, 0, 0];
    weights.forEach((weight, index) => {
      const count = counts[index]!;
      score += (weight * count * (SATURATION + 1)) / (count + SATURATION * lengthFactor);
      if (count > 0) found += weight;
      sought += weight;
    });
    const coverage = sought === 0 ? 0 : found / sought;
    return score * (1 - COVERAGE_WEIGHT + COVERAGE_WEIGHT * coverage) * this.#pathFactor(path);
  }

  #pathFactor(path: string): number {
    if (WRITTEN_BY_PROGRAMS.test(path)) return 0.2;
    if (TESTS.test(path)) return 0.7;
    return this.#query.isQuestion && PROSE.test(path) ? PROSE_FOR_QUESTIONS : 1;
  }
}
