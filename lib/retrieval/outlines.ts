// The outlines of files that have no passages yet: they are stored, and by them the files are chosen that may answer a
// question. In a project of thousands of files, only those are cut for it.
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { readIntent } from '../ranking/intent.ts';
import { numberOfStem, readOutline, type WordOutline } from '../ranking/outline.ts';
import { fold, mayHoldOneOf, readQuery, STOP_WORDS, stemsIn } from '../ranking/words.ts';
import { type CountedWords, rarity } from './find-by-words.ts';
import { isOverviewFile } from './project-overview.ts';
import { weigherOf } from './rank-passages.ts';
import { preparedOnce } from './statements.ts';

/** A file that was read and has no passages yet. */
export interface OutlinedFile {
  /** The path from the root, with `/`. */
  readonly name: string;
  readonly stamp: string;
  readonly outline: WordOutline;
}

/** Files that are cut for a question. */
const MOST_CHOSEN = 32;
/** Words of these, each counted once in its section: about 400 kB of text. */
const MOST_WORDS = 24_000;
/** These are cut however large they are. */
const SURELY_CHOSEN = 8;
/** The constants of BM25, as FTS5 has them, and the weight of a word in the path. */
const [K, B] = [1.2, 0.75];
const ABOUT_WEIGHT = 2;

/** The outlines that are stored of a project. */
export function outlinesOf(database: DatabaseSync, home: string): OutlinedFile[] {
  const rows = database.prepare('SELECT name, stamp, outline FROM outlines WHERE home = ?').all(home);
  return rows.map(({ name, stamp, outline }) => {
    const { buffer, byteOffset, byteLength } = outline as Uint8Array;
    const numbers = new Uint32Array(buffer, byteOffset, Math.floor(byteLength / Uint32Array.BYTES_PER_ELEMENT));
    return { name: String(name), stamp: String(stamp), outline: numbers };
  });
}

export function storeOutline(database: DatabaseSync, home: string, { name, stamp, outline }: OutlinedFile): void {
  const { buffer, byteOffset, byteLength } = outline;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  statementsOf(database).store.run(home, name, stamp, bytes);
}

export function removeOutline(database: DatabaseSync, home: string, name: string): void {
  statementsOf(database).remove.run(home, name);
}

export function hasOutlines(database: DatabaseSync, home: string): boolean {
  return database.prepare('SELECT 1 FROM outlines WHERE home = ? LIMIT 1').get(home) !== undefined;
}

export function removeOutlines(database: DatabaseSync, home: string): void {
  statementsOf(database).removeAll.run(home);
}

const statementsOf = preparedOnce((database) => ({
  store: database.prepare('INSERT OR REPLACE INTO outlines VALUES (?, ?, ?, ?)'),
  remove: database.prepare('DELETE FROM outlines WHERE home = ? AND name = ?'),
  removeAll: database.prepare('DELETE FROM outlines WHERE home = ?'),
}));

interface Choosing {
  readonly home: string;
  readonly question: string;
  /** Whether a file has passages already. */
  readonly isCut: (name: string) => boolean;
}

/** The files that may answer a question and have no passages yet, and the words of the others. */
interface ChosenFiles {
  /** Best first. */
  readonly names: readonly string[];
  readonly uncut: CountedWords;
}

export function chooseFiles(files: readonly OutlinedFile[], { home, question, isCut }: Choosing): ChosenFiles {
  const intent = readIntent(question, [basename(home)]);
  const { terms } = readQuery(question);
  const stems = terms.map(({ stem }) => stem);
  const asked = new Set(intent.query.terms.map(({ stem }) => stem));
  const numbers = stems.map(numberOfStem);
  const mayShare = mayHoldOneOf(stems);
  const nowhere = stems.map(() => 0);
  const read = files.map(({ name, outline }) => {
    const path = mayShare(name) ? stemsIn(name) : [];
    const inPath = path.length === 0 ? nowhere : stems.map((stem) => path.filter((each) => each === stem).length);
    return sectionsOf(outline, numbers, inPath);
  });
  const all = totalOf(read, stems);
  const rarities = new Map(stems.map((stem, index) => [stem, rarity(all.sections, all.holding[index]!)]));
  const rarityOf = (stem: string) => (asked.has(stem) ? rarities.get(stem)! : 0);
  const sources = files.map(({ name }, number) => ({ number, kind: 'file' as const, home, name, project: home }));
  const weigh = weigherOf(sources, { query: intent.query, intent, rarityOf });
  const average = all.words / Math.max(1, all.sections);
  const weights = stems.map(rarityOf);
  const scored = sources.map((source) => {
    const { name, number } = source;
    if (isOverviewFile(name)) return { name, number, score: Number.POSITIVE_INFINITY };
    const score = bestScore(read[number]!, weights, average) + weigh.bonusOf(number);
    return { name, number, score: score === 0 ? 0 : score * weigh.worthOf(source) };
  });
  const chosen = fitting(
    scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => (a.score === b.score ? a.number - b.number : b.score - a.score)),
    ({ number }) => files[number]!.outline.length,
  );
  const isChosen = new Set(chosen.map(({ number }) => number));
  const left = totalOf(
    read.filter((_, number) => !isChosen.has(number) && !isCut(files[number]!.name)),
    stems,
  );
  const holding = new Map(stems.map((stem, index) => [stem, left.holding[index]!]));
  // A word that outlines leave out is in many texts, and not missed.
  const isEverywhere = new Set(terms.filter(({ shown }) => STOP_WORDS.has(fold(shown))).map(({ stem }) => stem));
  return {
    names: chosen.map(({ name }) => name).filter((name) => !isCut(name)),
    uncut: {
      passages: left.sections,
      holding: (stem) => (isEverywhere.has(stem) ? left.sections : (holding.get(stem) ?? 0)),
    },
  };
}

/** The sections of a file, and how long each one with words of the question is, and how often it has each. */
interface Sections {
  readonly sections: number;
  readonly words: number;
  readonly hits: readonly { readonly words: number; readonly counts: readonly number[] }[];
  /** How often each is in the path. */
  readonly inPath: readonly number[];
}

function sectionsOf(outline: WordOutline, numbers: readonly number[], inPath: readonly number[]): Sections {
  const isInPath = inPath.some((count) => count > 0);
  let [sections, words] = [0, 0];
  const hits: { words: number; counts: number[] }[] = [];
  readOutline(outline, numbers, (some, counts) => {
    sections += 1;
    words += some;
    if (isInPath || counts.some((count) => count > 0)) hits.push({ words: some, counts: [...counts] });
  });
  return { sections, words, hits, inPath };
}

function totalOf(files: readonly Sections[], stems: readonly string[]) {
  const holding = stems.map(() => 0);
  let [sections, words] = [0, 0];
  for (const file of files) {
    sections += file.sections;
    words += file.words;
    for (const { counts } of file.hits) {
      for (const term of holding.keys()) if (counts[term]! > 0 || file.inPath[term]! > 0) holding[term]! += 1;
    }
  }
  return { sections, words, holding };
}

/** The score of its best section, by BM25. */
function bestScore({ hits, inPath }: Sections, weights: readonly number[], average: number): number {
  const scores = hits.map(({ words, counts }) => {
    const length = 1 - B + (B * words) / average;
    return weights.reduce((sum, weight, term) => {
      const count = counts[term]! + ABOUT_WEIGHT * inPath[term]!;
      return count === 0 ? sum : sum + (weight * count * (K + 1)) / (count + K * length);
    }, 0);
  });
  return Math.max(0, ...scores);
}

/** In their order, as many as there is room for. */
function fitting<Each>(order: readonly Each[], sizeOf: (each: Each) => number): readonly Each[] {
  let [taken, words] = [0, 0];
  return order.filter((each, index) => {
    const size = sizeOf(each);
    const fits = taken < MOST_CHOSEN && (index < SURELY_CHOSEN || words + size <= MOST_WORDS);
    if (fits) [taken, words] = [taken + 1, words + size];
    return fits;
  });
}
