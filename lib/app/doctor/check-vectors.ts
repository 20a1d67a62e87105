// Checks whether passages can be found by meaning, if the settings name a model for it: it is sent one word.
import { countOf, formatCount } from '../../display/quantities.ts';
import type { App } from '../app.ts';
import { type DoctorFinding, ok, warn } from './check.ts';

const TIMEOUT_MS = 5_000;

/** Undefined where no model is configured. */
export async function checkVectors(app: App): Promise<DoctorFinding | undefined> {
  const [embeddings, passages] = await Promise.all([app.embeddings(), app.passages()]);
  if (embeddings === undefined || passages === undefined) return undefined;
  const { vector, notes } = await embeddings.question('doctor', { signal: undefined, timeoutMs: TIMEOUT_MS });
  if (vector === undefined) return warn(notes.join(' '), undefined);
  const { passages: all, vectors } = await passages.counts(embeddings.name);
  return ok(`${embeddings.name} answers; vectors of ${formatCount(vectors)} of ${countOf(all, 'passage')}`);
}
