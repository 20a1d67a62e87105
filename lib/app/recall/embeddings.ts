// The model that makes vectors, as the settings name it, and which sources it may be sent.
import { Embeddings } from '../../retrieval/embeddings.ts';
import type { VectorUpdate } from '../../retrieval/make-vectors.ts';
import type { App } from '../app.ts';
import { hiddenSessions } from '../list/foreign-notes.ts';
import { hiddenBy } from '../policy/hidden-by.ts';

/** Undefined where the settings name no model, or no passages are kept. */
export async function openEmbeddings(app: App): Promise<Embeddings | undefined> {
  const { provider, model } = app.config.retrieval.embeddings;
  const passages = await app.passages();
  if (model === undefined || passages === undefined) return undefined;
  return new Embeddings({
    embedder: {
      name: `${provider} ${model}`,
      async embed(texts, signal) {
        const loaded = await app.providers.load(provider);
        if (loaded.embed === undefined) throw new Error(`The provider ${provider} makes no vectors`);
        return loaded.embed({ model, texts }, { signal });
      },
    },
    makeVectors: (update) => passages.makeVectors(update),
    async redactor() {
      const redact = await app.redactor();
      return (text) => redact(text).text;
    },
    clock: app.clock,
    log: app.log,
  });
}

/**
 * Files that models may read unasked, by the settings and the user's permanent answers; and of all sessions that the
 * user has not hidden, whichever model they were held with, what names no other file: the user has named this model for
 * their text.
 */
export async function sendableSources(app: App): Promise<VectorUpdate['maySend']> {
  const { standingPolicy } = await import('../policy/project-policy.ts');
  const isHidden = hiddenBy(app, await standingPolicy(app));
  const hidden = hiddenSessions(app);
  return ({ kind, home, name, project }, { about, text } = { about: '', text: '' }) =>
    kind === 'session'
      ? !hidden.has(name) && !isHidden({ kind, place: name, project, about, text })
      : !isHidden({ kind, place: `${name}:1`, project: home, about, text });
}
