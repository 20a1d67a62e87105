// How good the passages are that retrieval finds, printed as a table of its own, and how long a question takes over
// 100,000 of them.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import { addPassages, numberOfSource } from '../../lib/retrieval/passages.ts';
import { retrieve } from '../../lib/retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';
import { VectorSearch } from '../../lib/retrieval/vector-search.ts';
import { addVectors } from '../../lib/retrieval/vectors.ts';
import type { Case } from '../case.ts';
import { processorMilliseconds, quantile } from '../measure.ts';
import { evaluate, scoresTable } from '../retrieval/evaluate.ts';
import { wordSource } from '../words.ts';

const WORDS = 100_000;
const WORDS_PER_PASSAGE = 200;
const WORDS_PER_QUESTION = 6;
const QUESTIONS = 40;
const PASSAGES_AT_ONCE = 1_000;
const PROJECT = '/home/ada/project';
/** Numbers in a vector, as small models make them. */
const DIMENSIONS = 384;

export const run: Case = async function* (bench) {
  const { size } = bench;
  yield { what: 'the questions with known answers', text: scoresTable(await evaluate(bench)) };

  const file = join(bench.home(), PASSAGES_FORM.nameOf(PASSAGES_FORM.number));
  const count = size(100_000, 200);
  using database = fill(file, count);
  const random = seededRandom(5);
  const { text } = wordSource(WORDS, random);
  const questions = Array.from({ length: QUESTIONS }, () => text(WORDS_PER_QUESTION));
  const times = async () => {
    const taken: number[] = [];
    for (const question of questions) {
      taken.push(await processorMilliseconds(() => retrieve(database, { question, limit: 8, scope: {} })));
    }
    return taken;
  };
  const name = `a question over ${count.toLocaleString('en')} passages`;
  yield { what: `${name}, median`, ollm: async () => quantile(await times()), limit: 10 };
  yield { what: `${name}, worst`, ollm: async () => Math.max(...(await times())), limit: 40 };

  const vectors = size(50_000, 100);
  const vectorOf = () => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  database.exec('BEGIN');
  database.prepare('INSERT INTO embedding VALUES (?, ?)').run('model', DIMENSIONS);
  const rows = Array.from({ length: vectors }, (_, index) => ({ passage: index + 1, vector: vectorOf() }));
  addVectors(database, rows);
  database.exec('COMMIT');
  const search = new VectorSearch();
  const question = { model: 'model', vector: vectorOf(), best: [], limit: 200 };
  // The thread is there with the first question.
  await search.ask(file, question);
  const meant = () => processorMilliseconds(() => search.ask(file, question));
  const what = `by meaning, ${vectors.toLocaleString('en')} vectors of ${DIMENSIONS}, in a thread`;
  yield { what, ollm: meant, limit: 60 };
  await search.close();
};

function fill(path: string, count: number): DatabaseSync {
  closeSync(openSync(path, 'w', 0o600));
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${PASSAGES_FORM.schema}`);
  const { text } = wordSource(WORDS, seededRandom(11));
  for (let done = 0; done < count; done += PASSAGES_AT_ONCE) {
    const about = `file-${done}`;
    const passages = Array.from({ length: Math.min(PASSAGES_AT_ONCE, count - done) }, (_, index) => ({
      about,
      text: text(WORDS_PER_PASSAGE),
      lines: [index, index] as const,
    }));
    database.exec('BEGIN');
    const source = numberOfSource(database, { kind: 'file', home: PROJECT, name: about, project: PROJECT });
    addPassages(database, source, passages);
    database.exec('COMMIT');
  }
  return database;
}
