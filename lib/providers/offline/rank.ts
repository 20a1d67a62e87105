// Which documents answer a question best: Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
// 2009), over the terms of the question alone. A rare term counts for more than a frequent one, the third occurrence for
// less than the first, and a term in the path for more than one in the text. Pure.
import { countTerm, fold, type Query } from './words.ts';

export interface Counted {
  readonly name: string;
  /** How often each term of the query stands in the text. */
  readonly inText: readonly number[];
  /** Whether each stands in the path. */
  readonly inPath: readonly boolean[];
  /** Characters. */
  readonly length: number;
}

export interface Ranked {
  readonly name: string;
  readonly score: number;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
const PATH_WEIGHT = 2;
const MAX_COUNTED = 50;

/** What programs write, and histories: long lists of every word. */
const WRITTEN_BY_PROGRAMS =
  /(?:^|\/)(?:package-lock\.json|[^/]*\.lock|[^/]*\.min\.[a-z]+|[^/]*[.-]lock\.ya?ml|[^/]*\.generated\.[a-z]+|[^/]*\.map|changelog[^/]*)$/i;

/** They say the same words as what they test, and less about it. */
const TESTS = /(?:^|\/)(?:__tests__|tests?|specs?)\/|[._](?:test|spec)\.[a-z]+$/i;

/** Undefined if no term stands in it. */
export function countIn(name: string, path: string, text: string, query: Query): Counted | undefined {
  const folded = fold(text);
  const foldedPath = fold(path);
  const inText = query.terms.map((term) => countTerm(term, text, folded, MAX_COUNTED));
  const inPath = query.terms.map((term) => countTerm(term, path, foldedPath, 1) > 0);
  if (!inText.some((count) => count > 0) && !inPath.includes(true)) return undefined;
  return { name, inText, inPath, length: text.length };
}

/** How much each term of the query tells: more, the fewer documents hold it. Zero if none does. */
export function rarity(query: Query, counted: readonly Counted[], documents: number): number[] {
  return query.terms.map((_, index) => {
    const holding = counted.filter(({ inText, inPath }) => inText[index]! > 0 || inPath[index]).length;
    return holding === 0 ? 0 : Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));
  });
}

/** Best first; of two that are equal, the one whose name comes first. */
export function rank(counted: readonly Counted[], weights: readonly number[]): Ranked[] {
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length) || 1;
  return counted
    .map((document) => ({ name: document.name, score: scoreOf(document, weights, average) }))
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

function scoreOf({ name, inText, inPath, length }: Counted, weights: readonly number[], average: number): number {
  const lengthFactor = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * (length / average);
  let score = 0;
  let found = 0;
  let sought = 0;
  weights.forEach((weight, index) => {
    const count = inText[index]!;
    const inTextScore = (count * (SATURATION + 1)) / (count + SATURATION * lengthFactor);
    score += weight * (inTextScore + (inPath[index] ? PATH_WEIGHT : 0));
    if (count > 0 || inPath[index]) found += weight;
    sought += weight;
  });
  // A document with all the words goes before one with a single word many times.
  const coverage = sought === 0 ? 0 : found / sought;
  return score * (0.3 + 0.7 * coverage) * standing(name);
}

function standing(path: string): number {
  if (WRITTEN_BY_PROGRAMS.test(path)) return 0.2;
  return TESTS.test(path) ? 0.7 : 1;
}
