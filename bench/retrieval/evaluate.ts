// How good retrieval is, on the sets of sets.ts: recall@5 and MRR@10, with 95 % intervals by bootstrap, next to the
// full-text index as SQLite makes it. The held-out questions are read only if they are asked.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import { CatalogEdit } from '../../lib/catalog/catalog-edit.ts';
import type { ProjectFiles } from '../../lib/discovery/types.ts';
import { indexFiles } from '../../lib/retrieval/index-files.ts';
import { retrieve } from '../../lib/retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';
import { estimateTokens } from '../../lib/tokens/estimate.ts';
import { type AskedProject, commitSets, newcomerSets, type PassagePlace, titleSet, writtenSet } from './sets.ts';

const MEASURES = ['first', 'three', 'recall', 'filled', 'reciprocal'] as const;
/**
 * For each question, 1 or 0: whether the best passage is a right one, one of the three and of the five best, and one of
 * those that a turn has room for; then 1 / rank of the first right one.
 */
type Measure = (typeof MEASURES)[number];

/** How one question was answered. `tokens`: of the five best. */
export type Answered = Readonly<Record<Measure | 'tokens', number>>;
export type Figure = readonly [value: number, low: number, high: number];
type Figures = Readonly<Record<Measure, Figure>>;

/** How one way of finding does on some questions. */
export interface Score {
  readonly set: string;
  readonly way: string;
  readonly questions: number;
  /** Questions with a right passage among the five best. */
  readonly right: number;
  /** Means, each with its interval. */
  readonly figures: Figures;
  /** The differences from the plain index, question by question; undefined for that one itself. */
  readonly better: Figures | undefined;
  /** Tokens of the five best, on average. */
  readonly tokens: number;
}

/** `tokens`: as many passages as that many tokens have room for. */
type Way = (question: string, tokens?: number) => Found | Promise<Found>;
type Found = readonly (PassagePlace & { readonly text: string })[];

/** What each way is compared with. */
export const PLAIN = 'plain FTS5';
const RESAMPLES = 2_000;
const TOP = 5;
const LOOKED_AT = 10;
/** Tokens of the passages of a turn, and the overhead of a quoted passage, as in a turn. */
const TURN_TOKENS = 2_048;
const TOKENS_PER_PASSAGE = 40;
const PASSAGES_OF_A_TURN = 8;
/** More than there is room for. */
const MOST_IN_A_TURN = 50;

/**
 * `only`: the written questions, or those of newcomers about one package. `scale`: the share of the projects that are
 * asked about, and of the questions of each.
 *
 * @throws Error if the held-out questions are not those that were put aside
 */
export async function evaluate({
  heldOut = false,
  only,
  scale = 1,
}: {
  readonly heldOut?: boolean;
  readonly only?: 'written' | { readonly package: string };
  readonly scale?: number;
} = {}): Promise<Score[]> {
  if (typeof only === 'object') return compare(newcomerSets(only.package), { isFirst: true });
  const written = await compare([writtenSet(heldOut)], { scale });
  if (heldOut || only === 'written') return written;
  return [
    ...written,
    ...(await compare(newcomerSets(), { isFirst: true, scale })),
    ...(await compare(commitSets(), { isFirst: true, scale })),
    ...(await compare([titleSet()], { scale })),
  ];
}

/** The questions of one set belong together, whatever projects they are asked of. */
async function compare(projects: readonly AskedProject[], { isFirst = false, scale = 1 }): Promise<Score[]> {
  const isTaken = (_: unknown, index: number) => index % Math.round(1 / scale) === 0;
  const answers: Record<string, Record<string, Answered[]>> = {};
  for (const { files, questions } of projects.filter(isTaken)) {
    using database = new DatabaseSync(':memory:');
    database.exec(PASSAGES_FORM.schema);
    await indexFiles(new CatalogEdit(database), files, { clean: (text) => text });
    const ways: Readonly<Record<string, Way>> = {
      'by words': byWords(database),
      [PLAIN]: plainIndex(database),
      // The project has no passages before the question.
      ...(isFirst && { 'by words, asked first': await askedFirst(files) }),
    };
    for (const { question, isRight, sets } of questions.filter(isTaken)) {
      for (const [way, find] of Object.entries(ways)) {
        const one = await answered(find, question, isRight);
        for (const set of sets) {
          answers[set] ??= {};
          answers[set][way] = [...(answers[set][way] ?? []), one];
        }
      }
    }
  }
  return Object.entries(answers).flatMap(([set, ways]) =>
    Object.entries(ways).map(([way, each]) => score(set, way, each, way === PLAIN ? undefined : ways[PLAIN])),
  );
}

function byWords(database: DatabaseSync, uncut?: Parameters<typeof retrieve>[1]['uncut']): Way {
  return (question, tokens) => {
    const limit = tokens === undefined ? LOOKED_AT : PASSAGES_OF_A_TURN;
    return retrieve(database, { question, limit, uncut }).map(({ place, lines, text }) => {
      const file = place.slice(0, place.lastIndexOf(':'));
      return { file, first: lines![0], last: lines![1], text };
    });
  };
}

/** Each question is the first one. The texts are read once for all. */
async function askedFirst(files: ProjectFiles): Promise<Way> {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-first-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const [read, asked] = [join(directory, 'read'), join(directory, 'asked')];
  const index = (database: DatabaseSync, question: string) =>
    indexFiles(new CatalogEdit(database), files, { clean: (text) => text, question });
  using before = new DatabaseSync(read);
  before.exec(PASSAGES_FORM.schema);
  await index(before, '');
  return async (question, tokens) => {
    copyFileSync(read, asked);
    using database = new DatabaseSync(asked);
    database.exec('PRAGMA synchronous = OFF');
    const { uncut } = await index(database, question);
    return byWords(database, uncut)(question, tokens);
  };
}

/** An index of the same passages as SQLite makes it, asked for any of the words. */
function plainIndex(database: DatabaseSync): Way {
  const plain = new DatabaseSync(':memory:');
  plain.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
  const insert = plain.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  for (const { id, text } of database.prepare('SELECT id, text FROM passages').all()) insert.run(id!, text!);
  const find = plain.prepare('SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?');
  const read = database.prepare(
    `SELECT s.name AS file, l.line AS first, l.last_line AS last, p.text FROM places l
    JOIN sources s ON s.number = l.source JOIN passages p ON p.id = l.passage WHERE l.passage = ?`,
  );
  return (question, tokens) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    const limit = tokens === undefined ? LOOKED_AT : MOST_IN_A_TURN;
    const found = find.all(words.map((word) => `"${word}"`).join(' OR '), limit);
    return found.flatMap(({ id }) => read.all(id!) as unknown as Found);
  };
}

async function answered(find: Way, question: string, isRight: (place: PassagePlace) => boolean): Promise<Answered> {
  const places = await find(question);
  const rank = places.findIndex(isRight);
  const within = (places: number) => Number(rank >= 0 && rank < places);
  return {
    first: within(1),
    three: within(3),
    recall: within(TOP),
    filled: Number(fitting(await find(question, TURN_TOKENS)).some(isRight)),
    reciprocal: rank < 0 ? 0 : 1 / (rank + 1),
    tokens: places.slice(0, TOP).reduce((sum, { text }) => sum + text.length / 4, 0),
  };
}

function fitting(places: Found): Found {
  let left = TURN_TOKENS;
  return places.filter(({ text }) => {
    const tokens = estimateTokens(text) + TOKENS_PER_PASSAGE;
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/** `base`: the answers of the plain index to the same questions, in the same order. */
export function score(set: string, way: string, answers: readonly Answered[], base?: readonly Answered[]): Score {
  // Each way answers the same questions: which are hard is not a part of the difference.
  const figuresOf = (figureOf: (measure: Measure, each: Answered, index: number) => number) =>
    Object.fromEntries(
      MEASURES.map((measure) => [measure, withInterval(answers.map((each, index) => figureOf(measure, each, index)))]),
    ) as Figures;
  return {
    set,
    way,
    questions: answers.length,
    right: answers.filter(({ recall }) => recall > 0).length,
    figures: figuresOf((measure, each) => each[measure]),
    better: base && figuresOf((measure, each, index) => each[measure] - base[index]![measure]),
    tokens: Math.round(mean(answers.map(({ tokens }) => tokens))),
  };
}

function withInterval(values: readonly number[]): Figure {
  const random = seededRandom(1);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)]!)),
  ).sort((a, b) => a - b);
  return [mean(values), means[Math.floor(RESAMPLES * 0.025)]!, means[Math.floor(RESAMPLES * 0.975)]!];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

export function scoresTable(scores: readonly Score[]): string {
  const headings = ['recall@5 (95 %)', `recall in ${TURN_TOKENS.toLocaleString('en')} tokens`, 'MRR@10'];
  const compared = headings.map((each) => `${each} | − ${PLAIN}`).join(' | ');
  const shown = ([value, low, high]: Figure) => `${value.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`;
  const rows = scores.map(({ set, way, questions, figures, better, tokens }) => {
    const beside = (['recall', 'filled', 'reciprocal'] as const).flatMap((measure) => [
      shown(figures[measure]),
      better === undefined ? '' : shown(better[measure]),
    ]);
    return [set, questions, way, shown(figures.first), shown(figures.three), ...beside, tokens].join(' | ');
  });
  return [
    `| questions | number | found by | right first (95 %) | in the first three | ${compared} | tokens of the five |`,
    '|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}
