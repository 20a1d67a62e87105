// Which texts answer a question best: Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
// 2009) over the terms of the question alone. A rare term counts for more than a frequent one, the third occurrence for
// less than the first, and a term in the path for more than one in the text. Pure.
import { mayHold, type Query, wordsIn } from './words.ts';

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
const PATH_WEIGHT = 2;

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
  /** For each term: how often it is in the text, and whether it is in the path. */
  readonly inText: readonly number[];
  readonly inPath: readonly boolean[];
  readonly length: number;
}

/** Takes one text after the other, and keeps of each how often the terms are in it. */
export class Ranking<Item> {
  readonly #query: Query;
  readonly #counted: Counted<Item>[] = [];
  #texts = 0;

  constructor(query: Query) {
    this.#query = query;
  }

  add(item: Item, text: string, path = ''): void {
    this.#texts += 1;
    const inText = this.#count(text);
    const inPath = this.#count(path).map((count) => count > 0);
    if (inPath.includes(true) || inText.some((count) => count > 0))
      this.#counted.push({ item, path, inText, inPath, length: text.length });
  }

  /** How much each term tells: more, the fewer texts hold it. Zero if none does. */
  weights(): readonly number[] {
    return this.#query.terms.map((_, index) => {
      const holding = this.#counted.filter(({ inText, inPath }) => inText[index]! > 0 || inPath[index]).length;
      return holding === 0 ? 0 : Math.log(1 + (this.#texts - holding + 0.5) / (holding + 0.5));
    });
  }

  /** Best first; of two that are equal, the one whose path comes first, or that was added first. */
  best(): readonly { readonly item: Item; readonly score: number }[] {
    const weights = this.weights();
    const average = this.#counted.reduce((sum, { length }) => sum + length, 0) / (this.#counted.length || 1) || 1;
    return this.#counted
      .map((counted) => ({ ...counted, score: this.#score(counted, weights, average) }))
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  #count(text: string): number[] {
    const { terms } = this.#query;
    const counts = terms.map(() => 0);
    if (!mayHold(text, this.#query)) return counts;
    const places = new Map(terms.map(({ stem }, index) => [stem, index]));
    for (const { stem } of wordsIn(text)) {
      const place = places.get(stem);
      if (place !== undefined) counts[place]! += 1;
    }
    return counts;
  }

  #score({ path, inText, inPath, length }: Counted<Item>, weights: readonly number[], average: number): number {
    const lengthFactor = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * (length / average);
    let [score, found, sought] = [0, 0, 0];
    weights.forEach((weight, index) => {
      const count = inText[index]!;
      const inTextScore = (count * (SATURATION + 1)) / (count + SATURATION * lengthFactor);
      score += weight * (inTextScore + (inPath[index] ? PATH_WEIGHT : 0));
      if (count > 0 || inPath[index]) found += weight;
      sought += weight;
    });
    // A text with all the words goes before one with a single word many times.
    const coverage = sought === 0 ? 0 : found / sought;
    return score * (0.3 + 0.7 * coverage) * this.#standing(path);
  }

  #standing(path: string): number {
    if (WRITTEN_BY_PROGRAMS.test(path)) return 0.2;
    if (TESTS.test(path)) return 0.7;
    return this.#query.isQuestion && PROSE.test(path) ? PROSE_FOR_QUESTIONS : 1;
  }
}
