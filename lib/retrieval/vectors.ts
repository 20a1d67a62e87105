// The stored vectors: one for each passage, all of one model and one length. Vectors of an earlier model are deleted
// before the first one of a new model is stored, so that no two models are ever compared.
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogEdit } from '../catalog/catalog-edit.ts';

/** The model that made the stored vectors. */
interface VectorModel {
  /** Provider and model. */
  readonly model: string;
  /** Numbers in each vector. */
  readonly dimensions: number;
}

/** A passage that waits for its vector. */
interface WaitingPassage {
  readonly passage: number;
  readonly about: string;
  readonly text: string;
}

const VECTORS_PER_STEP = 500;

/** Undefined where there are no vectors. */
export function vectorModel(database: DatabaseSync): VectorModel | undefined {
  const row = database.prepare('SELECT model, dimensions FROM embedding').get();
  return row && { model: String(row.model), dimensions: Number(row.dimensions) };
}

/** Makes room for vectors of this model: those of any other leave. Returns whether none of it were there. */
export async function prepareVectors(edit: CatalogEdit, wanted: VectorModel): Promise<boolean> {
  const { database } = edit;
  const known = vectorModel(database);
  if (known?.model === wanted.model && known.dimensions === wanted.dimensions) return false;
  // Some at a time. One that is killed in between continues here, since the model is named last.
  while (database.prepare('SELECT 1 FROM vectors LIMIT 1').get() !== undefined) {
    await edit.add(VECTORS_PER_STEP, (into) => {
      into.exec(`DELETE FROM vectors WHERE passage IN (SELECT passage FROM vectors LIMIT ${VECTORS_PER_STEP})`);
    });
    await edit.flush();
  }
  await edit.add(1, (into) => {
    into.exec('DELETE FROM embedding');
    into.prepare('INSERT INTO embedding VALUES (?, ?)').run(wanted.model, wanted.dimensions);
  });
  await edit.flush();
  return true;
}

/** The passages of a source that have no vector, and were not refused one. */
export function waitingOf(database: DatabaseSync, source: number): number[] {
  return database
    .prepare(
      `SELECT DISTINCT passage FROM places WHERE source = ? AND
      NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.passage = places.passage) ORDER BY passage`,
    )
    .all(source)
    .map(({ passage }) => Number(passage));
}

export function textsOf(database: DatabaseSync, passages: readonly number[]): WaitingPassage[] {
  return database
    .prepare('SELECT id, about, text FROM passages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id')
    .all(JSON.stringify(passages))
    .map(({ id, about, text }) => ({ passage: Number(id), about: String(about), text: String(text) }));
}

/** Stores the vectors of passages that are still here. Undefined: the model refused the text. */
export function addVectors(
  database: DatabaseSync,
  vectors: readonly { readonly passage: number; readonly vector: Float32Array | undefined }[],
): void {
  const insert = database.prepare(
    'INSERT OR REPLACE INTO vectors SELECT id, ? FROM passages WHERE id = ?', // none where it is gone
  );
  for (const { passage, vector } of vectors) insert.run(vector === undefined ? null : bytesOf(vector), passage);
}

export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export function vectorOf({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}
