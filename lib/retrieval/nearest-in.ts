// Which passages mean most nearly what a question means: those whose vectors have the smallest angle to its vector, by
// sqlite-vec, which the database must have loaded. Vectors of another model are not compared. Where there are very many,
// those of the newest passages are, and of those that hold the words of the question.
import type { DatabaseSync } from 'node:sqlite';
import { bytesOf, vectorModel } from './vectors.ts';

/** Only values, which can be sent to a thread. */
export interface NearestQuestion {
  readonly file: string;
  /** The model of the vector. */
  readonly model: string;
  readonly vector: Float32Array;
  /** The sources that are looked in. Default: all. */
  readonly sources?: readonly number[] | undefined;
  /** Compared in any case. */
  readonly best: readonly number[];
  readonly limit: number;
  /** Of more vectors than this only the newest half are compared. Default: 200,000. */
  readonly most?: number | undefined;
}

export type NearestAnswer =
  | {
      readonly kind: 'done';
      /** Nearest first. */
      readonly passages: readonly number[];
      /** Vectors there are, and whether some of them were not compared. */
      readonly vectors: number;
      readonly isPart: boolean;
    }
  /** There are no vectors of this model. */
  | { readonly kind: 'none' }
  /** The extension is not there. `reason`: as the end of a sentence. */
  | { readonly kind: 'missing'; readonly reason: string };

const MOST = 200_000;

export function nearestIn(database: DatabaseSync, question: Omit<NearestQuestion, 'file'>): NearestAnswer {
  const { model, vector, sources, best, limit, most = MOST } = question;
  const known = vectorModel(database);
  if (known?.model !== model || known.dimensions !== vector.length) return { kind: 'none' };
  const vectors = Number(database.prepare('SELECT count(*) AS count FROM vectors').get()!.count);
  const isPart = vectors > most;
  const conditions = ['vector IS NOT NULL'];
  const values: string[] = [];
  if (sources !== undefined) {
    conditions.push('passage IN (SELECT passage FROM places WHERE source IN (SELECT value FROM json_each(?)))');
    values.push(JSON.stringify(sources));
  }
  if (isPart) {
    const newest = `SELECT passage FROM vectors ORDER BY passage DESC LIMIT ${Math.floor(most / 2)}`;
    conditions.push(`(passage IN (${newest}) OR passage IN (SELECT value FROM json_each(?)))`);
    values.push(JSON.stringify(best));
  }
  const rows = database
    .prepare(
      `SELECT passage, vec_distance_cosine(vector, ?) AS distance FROM vectors WHERE ${conditions.join(' AND ')}
      ORDER BY distance, passage DESC LIMIT ?`,
    )
    .all(bytesOf(vector), ...values, limit);
  return { kind: 'done', passages: rows.map(({ passage }) => Number(passage)), vectors, isPart };
}
