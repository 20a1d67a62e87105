// A thread that compares the vector of a question with those of passages, by the SQLite extension sqlite-vec: reading
// and comparing 50,000 vectors takes too long for the thread that a person types into. The extension is loaded here
// alone. Started by the pool; nothing imports it.
import { DatabaseSync } from 'node:sqlite';
import { type NearestAnswer, type NearestQuestion, nearestIn } from './nearest-in.ts';

/** What passages are nearest. */
export default async function answer({ file, ...question }: NearestQuestion): Promise<NearestAnswer> {
  const database = new DatabaseSync(file, { readOnly: true, allowExtension: true });
  try {
    const reason = await load(database);
    return reason === undefined ? nearestIn(database, question) : { kind: 'missing', reason };
  } finally {
    database.close();
  }
}

/** Why none can be found on this machine; undefined if they can. */
export async function obstacle(): Promise<string | undefined> {
  const database = new DatabaseSync(':memory:', { allowExtension: true });
  try {
    return await load(database);
  } finally {
    database.close();
  }
}

/** Returns why that is not possible, as the end of a sentence. */
async function load(database: DatabaseSync): Promise<string | undefined> {
  let path: string;
  try {
    const { getLoadablePath } = await import('sqlite-vec');
    path = getLoadablePath();
  } catch {
    return 'the package sqlite-vec is not installed for this machine';
  }
  try {
    database.loadExtension(path);
    database.enableLoadExtension(false);
    return undefined;
  } catch (error) {
    return `sqlite-vec cannot be loaded: ${(error as Error).message}`;
  }
}
