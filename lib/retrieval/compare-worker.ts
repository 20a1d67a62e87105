// A thread that compares the vector of a question with those of passages: reading and comparing 50,000 vectors takes
// too long for the thread that a person types into. Started by the pool; nothing imports it.
import { DatabaseSync } from 'node:sqlite';
import { nearestPassages, provideDistance, type VectorAnswer, type VectorQuestion } from './compare-vectors.ts';

export default async function answer({
  file,
  ...question
}: VectorQuestion & { readonly file: string }): Promise<VectorAnswer> {
  using database = new DatabaseSync(file, { readOnly: true, allowExtension: true });
  await provideDistance(database);
  return nearestPassages(database, question);
}
