// Vectors that are compared, in a thread with sqlite-vec and without it: by their angle, only those of one model, in
// the requested sources, and of very many the newest and the best.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import {
  loadSqliteVec,
  nearestPassages,
  provideOwnDistance,
  type VectorAnswer,
  type VectorQuestion,
} from '../../lib/retrieval/compare-vectors.ts';
import { addPassages, numberOfSource } from '../../lib/retrieval/passages.ts';
import { PASSAGES_FORM } from '../../lib/retrieval/schema.ts';
import { VectorSearch } from '../../lib/retrieval/vector-search.ts';
import { addVectors } from '../../lib/retrieval/vectors.ts';
import { vectorOf } from '../support/embedding-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'ollm-vectors-'));
const search = new VectorSearch();
afterAll(async () => {
  await search.close();
  rmSync(directory, { recursive: true, force: true });
});

let number = 0;

/** Passages 1, 2, … with these vectors, every second one of another source. */
function fileWith(vectors: readonly (readonly number[] | undefined)[]): string {
  number += 1;
  const file = join(directory, `${number}.sqlite`);
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA synchronous = OFF; ${PASSAGES_FORM.schema}; BEGIN`);
  const sources = ['odd', 'even'].map((name) =>
    numberOfSource(database, { kind: 'file', home: '/', name, project: '/' }),
  );
  vectors.forEach((_, index) => {
    addPassages(database, sources[index % 2]!, [{ about: '', text: `passage ${index}`, lines: [1, 1] }]);
  });
  database.prepare('INSERT INTO embedding VALUES (?, ?)').run('m', vectors.find(Boolean)?.length ?? 0);
  addVectors(
    database,
    vectors.map((vector, index) => ({ passage: index + 1, vector: vector && Float32Array.from(vector) })),
  );
  database.exec('COMMIT');
  database.close();
  return file;
}

const words = fc.array(fc.constantFrom(...'keel mast sail oar rudder anchor'.split(' ')), {
  minLength: 1,
  maxLength: 6,
});

type Compare = (file: string, question: VectorQuestion) => Promise<VectorAnswer>;

async function withoutExtension(file: string, question: VectorQuestion): Promise<VectorAnswer> {
  const database = new DatabaseSync(file, { readOnly: true });
  provideOwnDistance(database);
  try {
    return nearestPassages(database, question);
  } finally {
    database.close();
  }
}

describe.each<[string, Compare]>([
  ['in a thread', (file, question) => search.ask(file, question)],
  ['without sqlite-vec', withoutExtension],
])('the nearest passages, %s', (_, compare) => {
  async function ask(file: string, vector: readonly number[], more: Partial<VectorQuestion> = {}) {
    const question = { model: 'm', vector: Float32Array.from(vector), best: [], limit: 100, ...more };
    const answer = await compare(file, question);
    return answer.kind === 'done' ? answer.passages : answer.kind;
  }

  it('are sorted by the angle, for any lengths', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 12 }), words, async (texts, question) => {
        const vectors = texts.map((text, index) => vectorOf(text.join(' ')).map((each) => each * (index + 1)));
        const asked = vectorOf(question.join(' '));
        const order = await ask(fileWith(vectors), asked);
        const angles = (order as readonly number[]).map((passage) => cosine(vectors[passage - 1]!, asked));
        expect(order).toHaveLength(texts.length);
        for (const [place, angle] of angles.entries()) {
          if (place > 0) expect(angle).toBeLessThanOrEqual(angles[place - 1]! + 1e-5);
        }
      }),
    );
  });

  it('exclude refused texts, and vectors of a different model or length', async () => {
    const file = fileWith([[1, 0], undefined, [0, 1]]);
    expect(await ask(file, [0, 1])).toEqual([3, 1]);
    expect(await ask(file, [0, 1], { model: 'other' })).toBe('none');
    expect(await ask(file, [0, 1, 0])).toBe('none');
  });

  it('are searched only in the named sources', async () => {
    const file = fileWith([
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 2],
    ]);
    expect(await ask(file, [0, 1], { sources: [1] })).toEqual([3, 1]);
    expect(await ask(file, [0, 1], { sources: [] })).toEqual([]);
  });

  it('are searched among the newest and the best by words if there are very many, counted only in the sources', async () => {
    const file = fileWith(Array.from({ length: 10 }, (_, index) => [index + 1, 1]));
    const question = { model: 'm', vector: new Float32Array([0, 1]), best: [2], limit: 9 };
    const all = await compare(file, { ...question, most: 8 });
    expect(all).toEqual({ kind: 'done', passages: [2, 7, 8, 9, 10], vectors: 10, newest: 4 });
    const even = { ...question, sources: [2] };
    expect(await compare(file, { ...even, most: 8 })).toMatchObject({ passages: [2, 4, 6, 8, 10], vectors: 5 });
    expect(await compare(file, { ...even, most: 4 })).toEqual({
      ...{ kind: 'done', passages: [2, 8, 10], vectors: 5, newest: 2 },
    });
  });

  it('end with a vector without direction', async () => {
    const file = fileWith([
      [0, 0],
      [1, 0],
    ]);
    expect(await ask(file, [0, 1])).toEqual([2, 1]);
  });
});

it('sqlite-vec can be loaded on this machine', async () => {
  const database = new DatabaseSync(':memory:', { allowExtension: true });
  expect(await loadSqliteVec(database)).toBe(true);
  expect(() => database.loadExtension('another')).toThrow(/extension loading is not allowed/i);
  database.close();
});

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, each, index) => sum + each * b[index]!, 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
