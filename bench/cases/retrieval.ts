// How good the passages are that retrieval finds, printed as a table of its own, and how long a question takes over
// 100,000 of them.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { addPassages, numberOfSource } from '../../lib/retrieval/passages.ts';
import { type RecallScope, retrieve } from '../../lib/retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';
import { VectorSearch } from '../../lib/retrieval/vector-search.ts';
import { addVectors } from '../../lib/retrieval/vectors.ts';
import type { Bench, Case } from '../case.ts';
import { seededRandom } from '../generated-session.ts';
import { type Contest, processorMilliseconds, quantile } from '../measure.ts';
import { evaluate, PLAIN, type Score, scoresTable } from '../retrieval/evaluate.ts';

/** Words of the generated passages, the first ones the most common. */
const WORDS = 100_000;
const WORDS_PER_PASSAGE = 200;
const WORDS_PER_QUESTION = 6;
const QUESTIONS = 40;
const PASSAGES_AT_ONCE = 1_000;
/** Holds every tenth thousand of the passages. */
const PROJECT = '/home/ada/project';
/** Numbers in a vector, as small models make them. */
const DIMENSIONS = 384;

export const run: Case = async function* (bench) {
  const { size, scale, progress, heldOut } = bench;
  progress('asking the written and the found questions');
  const scores = await evaluate({ heldOut, scale });
  process.stdout.write(`\n${scoresTable(scores)}\n`);
  for (const set of new Set(scores.map((score) => score.set))) yield* quality(scores, set);
  const count = size(100_000, 200);
  const database = fill(count, bench);
  const random = seededRandom(5);
  // As in a text: most of the words are common ones.
  const questions = Array.from({ length: QUESTIONS }, () =>
    Array.from({ length: WORDS_PER_QUESTION }, () => wordOf(WORDS ** random())).join(' '),
  );
  const times = async (scope: RecallScope = {}) => {
    const taken: number[] = [];
    for (const question of questions) {
      taken.push(await processorMilliseconds(() => retrieve(database, { question, limit: 8, scope })));
    }
    return taken;
  };
  const name = `a question over ${count.toLocaleString('en')} passages`;
  yield { what: `${name}, median`, subject: async () => quantile(await times()), limit: 10 };
  yield { what: `${name}, worst`, subject: async () => Math.max(...(await times())), limit: 40 };
  const ofProject = async () => quantile(await times({ project: PROJECT }));
  yield { what: `${name}, about a tenth of them, median`, subject: ofProject, limit: 40 };
  const vectors = size(50_000, 100);
  progress(`storing ${vectors.toLocaleString('en')} vectors`);
  const vectorOf = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  database.exec('BEGIN');
  database.prepare('INSERT INTO embedding VALUES (?, ?)').run('model', DIMENSIONS);
  addVectors(
    database,
    Array.from({ length: vectors }, (_, index) => ({ passage: index + 1, vector: vectorOf() })),
  );
  database.exec('COMMIT');
  const search = new VectorSearch();
  const question = { model: 'model', vector: vectorOf(), best: [], limit: 200 };
  // The thread is there with the first question.
  const file = passagesFile(bench);
  await search.ask(file, question);
  const meant = () => processorMilliseconds(() => search.ask(file, question));
  const what = `by meaning, ${vectors.toLocaleString('en')} vectors of ${DIMENSIONS}, in a thread`;
  yield { what, subject: meant, limit: 60 };
  await search.close();
  database.close();
};

/** Skips a set in which no way finds anything, as when questions share no word with their passage. */
function* quality(scores: readonly Score[], set: string): Generator<Contest> {
  const rightOf = (way: string) => scores.find((score) => score.set === set && score.way === way)!.right;
  const [words, plain] = [rightOf('by words'), rightOf(PLAIN)];
  if (plain === 0) return;
  const against = [{ name: PLAIN, atLeast: 1, run: () => plain }];
  const what = `questions answered among five passages, ${set}`;
  yield { what, unit: 'questions', subject: () => words, against, rounds: 1 };
}

function passagesFile({ directory }: Pick<Bench, 'directory'>): string {
  return join(directory, 'passages', PASSAGES_FORM.nameOf(PASSAGES_FORM.number));
}

function fill(count: number, { directory, progress }: Bench): DatabaseSync {
  const path = passagesFile({ directory });
  mkdirSync(dirname(path), { mode: 0o700 });
  closeSync(openSync(path, 'w', 0o600));
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${PASSAGES_FORM.schema}`);
  const random = seededRandom(11);
  const text = () => Array.from({ length: WORDS_PER_PASSAGE }, () => wordOf(WORDS ** random())).join(' ');
  for (let done = 0; done < count; done += PASSAGES_AT_ONCE) {
    progress(`indexing passage ${done.toLocaleString('en')} of ${count.toLocaleString('en')}`);
    database.exec('BEGIN');
    const home = done % (10 * PASSAGES_AT_ONCE) === 0 ? PROJECT : '/home/ada/others';
    const source = numberOfSource(database, { kind: 'file', home, name: `file-${done}`, project: home });
    const some = Math.min(PASSAGES_AT_ONCE, count - done);
    const passages = Array.from({ length: some }, (_, index) => ({
      about: `file-${done}`,
      text: text(),
      lines: [index, index] as const,
    }));
    addPassages(database, source, passages);
    database.exec('COMMIT');
  }
  return database;
}

/** Only letters: a number would be a word of its own. */
function wordOf(rank: number): string {
  let word = 'q';
  for (let rest = Math.floor(rank); rest > 0; rest = Math.floor(rest / 26)) {
    word += String.fromCharCode(97 + (rest % 26));
  }
  return `${word}q`;
}
