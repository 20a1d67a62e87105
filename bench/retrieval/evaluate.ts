// How good retrieval is, on several sets of questions: recall@5 and MRR@10, with 95 % intervals by bootstrap, next to
// the full-text index as SQLite makes it. The held-out questions are read only if they are asked.
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import { CatalogEdit } from '../../lib/catalog/catalog-edit.ts';
import { createProjectFiles } from '../../lib/discovery/index.ts';
import type { ProjectFiles } from '../../lib/discovery/types.ts';
import { readQuery, wordsIn } from '../../lib/ranking/words.ts';
import { indexFiles } from '../../lib/retrieval/index-files.ts';
import { retrieve } from '../../lib/retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';
import { estimateTokens } from '../../lib/tokens/estimate.ts';
import { newcomerSets } from './newcomers.ts';
import { commitSets, type ProjectSet, titleSet } from './project-sets.ts';

/** A question, and what says whether a passage answers it. */
interface Judged {
  readonly question: string;
  readonly isRight: (passage: Place) => boolean;
  /** Whether it shares no content word with its passage. */
  readonly isFar?: boolean;
}

interface Place {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** How one way of finding does on some questions; each figure with its interval. */
export interface Score {
  readonly set: string;
  readonly way: string;
  readonly questions: number;
  /** Questions with a right passage among the five best. */
  readonly right: number;
  readonly recall: Figure;
  /** The shares of questions whose best passage is a right one, and with one among the three best. */
  readonly first: Figure;
  readonly three: Figure;
  readonly reciprocalRank: Figure;
  /** The share of questions with a right passage among those that a turn has room for. */
  readonly filled: Figure;
  /** The differences from the plain index, question by question; undefined for that one itself. */
  readonly better: { readonly recall: Figure; readonly reciprocalRank: Figure; readonly filled: Figure } | undefined;
  /** Tokens of the five best, on average. */
  readonly tokens: number;
}

export type Figure = readonly [value: number, low: number, high: number];

/** How one question was answered. */
export interface Answered {
  readonly recall: number;
  readonly first: number;
  readonly three: number;
  readonly reciprocal: number;
  /** 1 where a right passage is among those that a turn has room for. */
  readonly filled: number;
  readonly tokens: number;
}

/** `tokens`: as many passages as that many tokens have room for. */
type Way = (question: string, tokens?: number) => Found | Promise<Found>;
type Found = readonly (Place & { readonly text: string })[];

/** What each way is compared with. */
export const PLAIN = 'plain FTS5';
/** By words, where the project has no passages before the question. */
const FIRST = 'by words, asked first';
const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const RESAMPLES = 2_000;
const TOP = 5;
const LOOKED_AT = 10;
/** Tokens of the passages of a turn, and the overhead of a quoted passage, as in a turn. */
const TURN_TOKENS = 2_048;
const TOKENS_PER_PASSAGE = 40;
const PASSAGES_OF_A_TURN = 8;
/** More than there is room for. */
const MOST_IN_A_TURN = 50;
/** Characters to each side of a passage's line that count as around it. */
const AROUND = 800;
/** Words that say nothing, except those that every search passes over. */
const FUNCTION_WORDS = new Set(
  `after before during may each only since once such same own another while because anything something everything last
  back never ever how much instead rather without up through`.split(/\s+/),
);

/** What newcomers ask, of one package where it is named. */
export async function evaluateNewcomers(project?: string): Promise<Score[]> {
  return compare(newcomerSets(project).map(halves('newcomers')), { isFirst: true });
}

/**
 * `isQuick`: only the written questions. `scale`: the share of the projects that are asked about, and
 * of the questions of each.
 *
 * @throws Error if the held-out questions are not those that were put aside
 */
export async function evaluate({ heldOut = false, isQuick = false, scale = 1 } = {}): Promise<Score[]> {
  const written = createProjectFiles({ root: DOCS });
  const names = heldOut ? ['held-out.jsonl'] : ['questions.jsonl'];
  if (heldOut) requireUnchanged();
  const questions = names.flatMap(writtenQuestions);
  const label = heldOut ? 'written, held out' : 'written';
  const sets = [
    { label, questions },
    { label: `${label}, a word shared`, questions: questions.filter(({ isFar }) => !isFar) },
    { label: `${label}, no word shared`, questions: questions.filter(({ isFar }) => isFar) },
  ];
  const scores = await compare([{ files: written, sets }], { scale });
  if (heldOut || isQuick) return scores;
  return [
    ...scores,
    ...(await compare(newcomerSets().map(halves('newcomers')), { isFirst: true, scale })),
    ...(await compare(commitSets().map(halves('commits')), { isFirst: true, scale })),
    ...(await compare([halves('titles')(titleSet())], { scale })),
  ];
}

function halves(label: string): (set: ProjectSet) => Corpus {
  return ({ files, questions }) => {
    const half = (isHeldOut: boolean): Judged[] =>
      questions
        .filter((each) => each.isHeldOut === isHeldOut)
        .map((each) => ({ question: each.question, isRight: ({ file }) => isOneOf(each.files, file) }));
    return {
      files,
      sets: [
        { label: `${label}, held out`, questions: half(true) },
        { label: `${label}, tuned on`, questions: half(false) },
      ],
    };
  };
}

/** `files`: paths, and globs. */
function isOneOf(files: readonly string[], file: string): boolean {
  return files.some((each) => each === file || (each.includes('*') && matchesGlob(file, each)));
}

function requireUnchanged(): void {
  const [expected] = readFileSync(join(HERE, 'held-out.sha256'), 'utf8').split(' ');
  if (hash('sha256', readFileSync(join(HERE, 'held-out.jsonl'))) !== expected)
    throw new Error('held-out.jsonl is not what was put aside.');
}

/** Pages that were merged into others after the held-out questions were put aside. */
const MERGED: Readonly<Record<string, string>> = {
  'decisions/0002-synchronous-writes-asynchronous-syncs.md': 'decisions/0001-journal-is-the-truth.md',
  'decisions/0023-one-index-of-words-over-all-sessions.md': 'decisions/0012-lists-ask-a-catalogue.md',
};

/** The questions whose passage is still in the docs. */
function writtenQuestions(name: string): Judged[] {
  return readFileSync(join(HERE, name), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { passage, ...asked } = JSON.parse(line) as Readonly<Record<'question' | 'file' | 'passage', string>>;
      const { question } = asked;
      const file = MERGED[asked.file] ?? asked.file;
      const path = join(DOCS, file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      // Lines may have been broken elsewhere since.
      const words = passage.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
      const at = text.search(new RegExp(words.join('\\s+')));
      if (at < 0) process.stderr.write(`${file} no longer has “${passage}”.\n`);
      if (at < 0) return [];
      const number = text.slice(0, at).split('\n').length;
      const around = text.slice(Math.max(0, at - AROUND), at + AROUND);
      const there = new Set([...wordsIn(around.slice(around.indexOf('\n') + 1))].map(({ stem }) => stem));
      const isFar = !readQuery(question).terms.some(
        ({ shown, stem }) => there.has(stem) && !FUNCTION_WORDS.has(shown.toLowerCase()),
      );
      const isRight = (place: Place) => place.file === file && place.first <= number && number <= place.last;
      return [{ question, isRight, isFar }];
    });
}

/** Files, and questions about them. */
interface Corpus {
  readonly files: ProjectFiles;
  readonly sets: readonly { readonly label: string; readonly questions: readonly Judged[] }[];
}

/** The questions of one label are one set, whatever corpora they are asked of. */
async function compare(corpora: readonly Corpus[], { isFirst = false, scale = 1 } = {}): Promise<Score[]> {
  const isTaken = (_: unknown, index: number) => index % Math.round(1 / scale) === 0;
  const answers = new Map<string, Map<string, Answered[]>>();
  for (const { files, sets } of corpora.filter(isTaken)) {
    const database = new DatabaseSync(':memory:');
    database.exec(PASSAGES_FORM.schema);
    await indexFiles(new CatalogEdit(database), files, { clean: (text) => text });
    const ways: Readonly<Record<string, Way | undefined>> = {
      [PLAIN]: plainIndex(database),
      'by words': (question, tokens) =>
        retrieve(database, { question, limit: tokens === undefined ? LOOKED_AT : PASSAGES_OF_A_TURN }).map(placeOf),
      [FIRST]: isFirst ? await askedFirst(files) : undefined,
    };
    for (const { label, questions: all } of sets) {
      const questions = all.filter(isTaken);
      const those = answers.get(label) ?? new Map<string, Answered[]>();
      answers.set(label, those);
      for (const [way, find] of Object.entries(ways)) {
        if (find !== undefined) those.set(way, [...(those.get(way) ?? []), ...(await answered(questions, find))]);
      }
    }
    database.close();
  }
  return [...answers].flatMap(([label, those]) => {
    const base = those.get(PLAIN)!;
    const [plain, words, ...more] = [...those].map(([way, each]) =>
      score(label, way, each, way === PLAIN ? undefined : base),
    );
    return [words!, plain!, ...more];
  });
}

function placeOf({ place, lines, text }: ReturnType<typeof retrieve>[number]): Place & { readonly text: string } {
  return { file: place.slice(0, place.lastIndexOf(':')), first: lines![0], last: lines![1], text };
}

/** Each question is the first one. The texts are read once for all. */
async function askedFirst(files: ProjectFiles): Promise<Way> {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-first-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const [read, asked] = ['read', 'asked'].map((name) => join(directory, name));
  const clean = (text: string) => text;
  const before = new DatabaseSync(read!);
  before.exec(PASSAGES_FORM.schema);
  await indexFiles(new CatalogEdit(before), files, { clean, question: '' });
  before.close();
  return async (question, tokens) => {
    copyFileSync(read!, asked!);
    const database = new DatabaseSync(asked!);
    database.exec('PRAGMA synchronous = OFF');
    const { uncut } = await indexFiles(new CatalogEdit(database), files, { clean, question });
    const limit = tokens === undefined ? LOOKED_AT : PASSAGES_OF_A_TURN;
    const found = retrieve(database, { question, limit, uncut }).map(placeOf);
    database.close();
    return found;
  };
}

/** An index of the same passages as SQLite makes it, asked for any of the words. */
function plainIndex(database: DatabaseSync): Way {
  const plain = new DatabaseSync(':memory:');
  plain.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
  const insert = plain.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  for (const { id, text } of database.prepare('SELECT id, text FROM passages').all()) insert.run(id!, text!);
  const find = plain.prepare(`SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?`);
  const read = passagesOf(database);
  return (question, tokens) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    const limit = tokens === undefined ? LOOKED_AT : MOST_IN_A_TURN;
    return find.all(words.map((word) => `"${word}"`).join(' OR '), limit).flatMap(({ id }) => read(Number(id)));
  };
}

function passagesOf(database: DatabaseSync): (id: number) => (Place & { readonly text: string })[] {
  const read = database.prepare(
    `SELECT s.name, l.line, l.last_line, p.text FROM places l
    JOIN sources s ON s.number = l.source JOIN passages p ON p.id = l.passage WHERE l.passage = ?`,
  );
  return (id) =>
    read.all(id).map(({ name, line, last_line, text }) => ({
      file: String(name),
      first: Number(line),
      last: Number(last_line),
      text: String(text),
    }));
}

async function answered(questions: readonly Judged[], find: Way): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const { question, isRight } of questions) {
    const places = await find(question);
    const rank = places.findIndex(isRight);
    const filled = fitting(await find(question, TURN_TOKENS)).some(isRight);
    const within = (places: number) => (rank >= 0 && rank < places ? 1 : 0);
    answers.push({
      filled: filled ? 1 : 0,
      first: within(1),
      three: within(3),
      recall: within(TOP),
      reciprocal: rank < 0 ? 0 : 1 / (rank + 1),
      tokens: places.slice(0, TOP).reduce((sum, { text }) => sum + text.length / 4, 0),
    });
  }
  return answers;
}

function fitting<Each extends { readonly text: string }>(places: readonly Each[]): readonly Each[] {
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
  const figure = (key: keyof Answered) => withInterval(answers.map((each) => each[key]));
  // Each way answers the same questions: which are hard is not a part of the difference.
  const difference = (key: keyof Answered) =>
    withInterval(answers.map((each, index) => each[key] - base![index]![key]));
  return {
    set,
    way,
    questions: answers.length,
    right: answers.filter(({ recall }) => recall > 0).length,
    recall: figure('recall'),
    first: figure('first'),
    three: figure('three'),
    reciprocalRank: figure('reciprocal'),
    filled: figure('filled'),
    better: base && {
      recall: difference('recall'),
      reciprocalRank: difference('reciprocal'),
      filled: difference('filled'),
    },
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
  const figure = ([value, low, high]: Figure) => `${value.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`;
  const rows = scores.map(({ set, way, questions, recall, first, three, reciprocalRank, filled, better, tokens }) => {
    const quality = (['recall', 'filled', 'reciprocalRank'] as const).flatMap((key) => [
      figure({ recall, filled, reciprocalRank }[key]),
      better === undefined ? '' : figure(better[key]),
    ]);
    return [set, String(questions), way, figure(first), figure(three), ...quality, String(tokens)].join(' | ');
  });
  const headings = ['recall@5 (95 %)', `recall in ${TURN_TOKENS.toLocaleString('en')} tokens`, 'MRR@10'];
  return [
    `| questions | number | found by | right first (95 %) | in the first three | ${headings.map((each) => `${each} | − ${PLAIN}`).join(' | ')} | tokens of the five |`,
    '|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

if (import.meta.main) {
  const scores = await evaluate({ heldOut: process.argv.includes('--held-out') });
  process.stdout.write(`${scoresTable(scores)}\n`);
}
