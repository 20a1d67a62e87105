// Which passages mean most nearly what a question means: those whose vectors have the smallest angle to its vector.
// Vectors of another model are not compared. Where there are very many, those of the newest passages are, and of those
// that hold the words of the question. The angle is a function of SQL: that of the extension sqlite-vec, or where it
// cannot be loaded one of our own, which gives the same order and takes about three times as long.
import type { DatabaseSync } from 'node:sqlite';
import { bytesOf, vectorModel, vectorOf } from './vectors.ts';

/** Only values, which can be sent to a thread. */
export interface VectorQuestion {
  /** The model of the vector. */
  readonly model: string;
  readonly vector: Float32Array;
  /** The sources that are looked in. Default: all. */
  readonly sources?: readonly number[] | undefined;
  /** Compared in any case. */
  readonly best: readonly number[];
  readonly limit: number;
  /** If these sources have more vectors than this, the newest half as many are compared. Default: 200,000. */
  readonly most?: number | undefined;
}

export type VectorAnswer =
  | {
      readonly kind: 'done';
      /** Nearest first. */
      readonly passages: readonly number[];
      /** Vectors there are in the sources. */
      readonly vectors: number;
      /** The number of compared vectors, if not all were compared. */
      readonly newest?: number | undefined;
    }
  /** There are no vectors of this model. */
  | { readonly kind: 'none' };

const MOST = 200_000;
const IN_SOURCES = 'passage IN (SELECT passage FROM places WHERE source IN (SELECT value FROM json_each(?)))';

/** In a database that `provideDistance` was called for. */
export function nearestPassages(database: DatabaseSync, question: VectorQuestion): VectorAnswer {
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
      ORDER BY distance NULLS LAST, passage DESC LIMIT ?`,
    )
    .all(bytesOf(vector), ...values, limit);
  return { kind: 'done', passages: rows.map(({ passage }) => Number(passage)), vectors, newest };
}

/** Makes `vec_distance_cosine` known to a database that was opened with `allowExtension`. */
export async function provideDistance(database: DatabaseSync): Promise<void> {
  if (!(await loadSqliteVec(database))) provideOwnDistance(database);
}

/** Returns whether that is possible on this machine. */
export async function loadSqliteVec(database: DatabaseSync): Promise<boolean> {
  try {
    const { getLoadablePath } = await import('sqlite-vec');
    database.loadExtension(getLoadablePath());
    return true;
  } catch {
    // It is not installed, or not made for this machine.
    return false;
  } finally {
    database.enableLoadExtension(false);
  }
}

export function provideOwnDistance(database: DatabaseSync): void {
  database.function('vec_distance_cosine', { deterministic: true }, (one, other) =>
    distance(vectorOf(one as Uint8Array), vectorOf(other as Uint8Array)),
  );
}

function distance(one: Float32Array, other: Float32Array): number {
  let [product, length, otherLength] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index]!, other[index]!];
    product += a * b;
    length += a * a;
    otherLength += b * b;
  }
  return 1 - product / Math.sqrt(length * otherLength);
}
