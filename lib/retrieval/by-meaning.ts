// The order of passages by meaning, in addition to that by words: the caller's function compares the vector of the
// question with those of the passages in the scope.
import type { DatabaseSync } from 'node:sqlite';
import { readQuery } from '../ranking/words.ts';
import type { VectorAnswer, VectorQuestion } from './compare-vectors.ts';
import { findByWords } from './find-by-words.ts';
import { isEverything, type RecallScope, sourcesIn } from './recall-scope.ts';

/** What a question means, as the model says. */
export interface QuestionVector {
  /** Provider and model. */
  readonly model: string;
  readonly vector: Float32Array;
}

interface MeaningOrder {
  /** Best first; undefined where nothing was compared. */
  readonly passages: readonly number[] | undefined;
  /** Passages that were not compared and the reason, each as a sentence. */
  readonly notes: readonly string[];
}

/** Passages by words that are compared by meaning in any case. */
const BEST_BY_WORDS = 2_000;
const NEAREST = 200;

/** @throws what `compare` throws */
export async function orderByMeaning(
  database: DatabaseSync,
  { question, scope = {} }: { readonly question: string; readonly scope?: RecallScope | undefined },
  { model, vector }: QuestionVector,
  compare: (question: VectorQuestion) => VectorAnswer | Promise<VectorAnswer>,
): Promise<MeaningOrder> {
  const sources = isEverything(scope) ? undefined : sourcesIn(database, scope).map(({ number }) => number);
  const best = findByWords(database, readQuery(question), sources).ranked.slice(0, BEST_BY_WORDS);
  const answer = await compare({ model, vector, sources, best: best.map(({ passage }) => passage), limit: NEAREST });
  if (answer.kind === 'none') return { passages: undefined, notes: [] };
  const { passages, vectors, newest } = answer;
  const note = `Of ${vectors} passages the newest ${newest} and those with the words were compared by meaning.`;
  return { passages, notes: newest === undefined ? [] : [note] };
}
