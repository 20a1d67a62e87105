// Which passages mean most nearly what a question means: those whose vectors have the smallest angle to its vector, by
// sqlite-vec, which the database must have loaded. Vectors of another model are not compared. Where there are very
// many, those of the newest passages are, and of those that hold the words of the question.
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
  /** Of more vectors than this in these sources, half as many are compared, the newest ones. Default: 200,000. */
  readonly most?: number | undefined;
}

export type NearestAnswer =
  | {
      readonly kind: 'done';
      /** Nearest first. */
      readonly passages: readonly number[];
      /** Vectors there are in the sources. */
      readonly vectors: number;
      /** How many of them were compared besides the best, where not all were. */
      readonly newest?: number | undefined;
    }
  /** There are no vectors of this model. */
  | { readonly kind: 'none' }
  /** The extension is not there. `reason`: as the end of a sentence. */
  | { readonly kind: 'missing'; readonly reason: string };

const MOST = 200_000;
const IN_SOURCES = 'passage IN (SELECT passage FROM places WHERE source IN (SELECT value FROM json_each(?)))';

export function nearestIn(database: DatabaseSync, question: Omit<NearestQuestion, 'file'>): NearestAnswer {
  const { model, vector, sources, best, limit, most = MOST } = question;
  const known = vectorModel(database);
  if (known?.model !== model || known.dimensions !== vector.length) return { kind: 'none' };
  const inSources = sources === undefined ? '' : `AND ${IN_SOURCES}`;
  const ofSources = sources === undefined ? [] : [JSON.stringify(sources)];
  const count = database.prepare(`SELECT count(*) AS n FROM vectors WHERE vector IS NOT NULL ${inSources}`);
  const vectors = Number(count.get(...ofSources)!.n);
  const newest = vectors > most ? Math.floor(most / 2) : undefined;
  const conditions = [`vector IS NOT NULL ${inSources}`];
  const values = [...ofSources];
  if (newest !== undefined) {
    const some = `SELECT passage FROM vectors WHERE vector IS NOT NULL ${inSources} ORDER BY passage DESC LIMIT ${newest}`;
    conditions.push(`(passage IN (${some}) OR passage IN (SELECT value FROM json_each(?)))`);
    values.push(...ofSources, JSON.stringify(best));
  }
  const rows = database
    .prepare(
      `SELECT passage, vec_distance_cosine(vector, ?) AS distance FROM vectors WHERE ${conditions.join(' AND ')}
      ORDER BY distance, passage DESC LIMIT ?`,
    )
    .all(bytesOf(vector), ...values, limit);
  return { kind: 'done', passages: rows.map(({ passage }) => Number(passage)), vectors, newest };
}
