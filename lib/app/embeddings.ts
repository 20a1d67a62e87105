// The model that makes vectors of passages and questions, where the settings name one. Passages get theirs in the
// background, one run at a time; what a run or a question fails with is said once, and the model is left alone for a
// while. Nothing is sent to any model that the settings do not name, no secret, and nothing of a file that a rule hides
// from models or asks about.
import { countOf } from '../display/quantities.ts';
import { isOllmError, messageOf } from '../errors/index.ts';
import { waitFor } from '../platform/waiting.ts';
import type { Embedder } from '../retrieval/make-vectors.ts';
import type { PassageStore, QuestionVector } from '../retrieval/passage-store.ts';
import type { PassageSource } from '../retrieval/passages.ts';
import type { RecallScope } from '../retrieval/scope.ts';
import type { App } from './app.ts';
import { hiddenBy } from './tools/hidden-by.ts';

export interface VectorWait {
  /** Numbers in a vector of the model, as it just made one for the question. */
  readonly dimensions: number;
  readonly signal?: AbortSignal | undefined;
  /** How long the passages of the scope are waited for. */
  readonly waitMs: number;
  readonly onProgress?: ((progress: { done: number; total: number; name: string }) => void) | undefined;
}

/** What the model could not do, or is doing still: one sentence each. */
type Notes = readonly string[];

/** How long a model that failed is left alone. */
const REST_MS = 30_000;

const known = new WeakMap<App, Embeddings>();

/** Undefined where the settings name no model. */
export function embeddingsOf(app: App, passages: PassageStore): Embeddings | undefined {
  const { provider, model } = app.config.retrieval.embeddings;
  if (model === undefined) return undefined;
  const made = known.get(app) ?? new Embeddings(app, passages, { provider, model });
  known.set(app, made);
  return made;
}

export class Embeddings {
  /** Provider and model, as people know them. */
  readonly name: string;
  readonly #app: App;
  readonly #passages: PassageStore;
  readonly #embedder: Embedder;
  readonly #stop = new AbortController();
  #obstacle: Promise<string | undefined> | undefined;
  #run: Run | undefined;
  /** What is sent to the model, until the user was told. */
  #announcement: string | undefined;
  #failure: { readonly message: string; readonly untilMs: number } | undefined;

  constructor(app: App, passages: PassageStore, { provider, model }: { provider: string; model: string }) {
    this.name = `${provider} ${model}`;
    this.#app = app;
    this.#passages = passages;
    this.#embedder = {
      name: this.name,
      async embed(texts, signal) {
        const loaded = await app.providers.load(provider);
        if (loaded.embed === undefined) throw new Error(`The provider ${provider} makes no vectors`);
        return loaded.embed({ model, texts }, { signal });
      },
    };
    app.onClose(async () => {
      this.#stop.abort();
      await this.#run?.ended;
      await passages.close();
    });
  }

  /** The vector of a question; undefined, with the reason, where there is none in that time. */
  async question(
    text: string,
    { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<{ readonly vector: QuestionVector | undefined; readonly notes: Notes }> {
    const failure = (await this.#incomparable()) ?? this.#recentFailure();
    if (failure !== undefined) return { vector: undefined, notes: [failure] };
    const stop = new AbortController();
    const limits = [stop.signal, this.#stop.signal, ...(signal === undefined ? [] : [signal])];
    const redact = await this.#app.redactor();
    const asked = this.#embedder.embed([redact(text).text], AbortSignal.any(limits));
    try {
      const waited = await waitFor(asked, { signal, timeoutMs });
      signal?.throwIfAborted();
      if (waited.kind === 'done') return { vector: { model: this.name, vector: waited.value[0]! }, notes: [] };
      return {
        vector: undefined,
        notes: [this.#failed(new Error(`${this.name} said nothing for ${timeoutMs / 1000} seconds`))],
      };
    } catch (error) {
      signal?.throwIfAborted();
      return { vector: undefined, notes: [this.#failed(error)] };
    } finally {
      stop.abort();
      asked.catch(() => {});
    }
  }

  /** Makes the vectors that are missing, in the background, and waits for them for a while. */
  async catchUp(scope: RecallScope, { dimensions, signal, waitMs, onProgress }: VectorWait): Promise<Notes> {
    const failure = this.#recentFailure();
    if (failure !== undefined) return [failure];
    const run = this.#run ?? this.#begin(scope, dimensions);
    run.onProgress = ({ done, total }) => onProgress?.({ done, total, name: `vectors by ${this.name}` });
    const waited = await waitFor(run.ended, { signal, timeoutMs: waitMs });
    run.onProgress = undefined;
    signal?.throwIfAborted();
    const { done, total } = run.progress;
    const isLeft = waited.kind !== 'done' && total > done && waitMs > 0;
    const waiting = countOf(total - done, 'passage');
    const left = `Vectors of ${waiting} are not made yet, so these are found by their words alone: ask again later.`;
    const notes = [this.#announcement, run.failure, isLeft ? left : undefined];
    this.#announcement = undefined;
    return notes.filter((note) => note !== undefined);
  }

  #begin(scope: RecallScope, dimensions: number): Run {
    const run: Run = { ended: Promise.resolve(), progress: { done: 0, total: 0 }, failure: undefined };
    run.ended = this.#makeAll(scope, dimensions, run).finally(() => {
      this.#run = undefined;
    });
    this.#run = run;
    return run;
  }

  async #makeAll(scope: RecallScope, dimensions: number, run: Run): Promise<void> {
    const { signal } = this.#stop;
    try {
      const redact = await this.#app.redactor();
      await this.#passages.makeVectors({
        embedder: this.#embedder,
        dimensions,
        scope,
        maySend: await sendable(this.#app),
        clean: (text) => redact(text).text,
        signal,
        onProgress: (progress) => {
          const { total, isFirst } = progress;
          if (isFirst && run.progress.total === 0)
            this.#announcement = `${this.name} makes vectors of ${countOf(total, 'passage')}: the text is sent to it.`;
          run.progress = progress;
          run.onProgress?.(progress);
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      run.failure = this.#failed(error);
      const fields = { service: 'retrieval', operation: 'embed', model: this.name, error };
      this.#app.log.warn(fields, 'Vectors of passages could not be made');
    }
  }

  /** Why vectors would be of no use on this machine: then nothing is sent. */
  async #incomparable(): Promise<string | undefined> {
    this.#obstacle ??= this.#passages.obstacle().catch(messageOf);
    const obstacle = await this.#obstacle;
    return obstacle && `Passages are found by their words alone: ${obstacle}.`;
  }

  #failed(error: unknown): string {
    const hint = isOllmError(error) && error.hint !== undefined ? ` ${error.hint}` : '';
    const message = `Passages are found by their words alone: ${messageOf(error).replace(/\.$/, '')}.${hint}`;
    this.#failure = { message, untilMs: this.#app.clock.monotonic() + REST_MS };
    return message;
  }

  #recentFailure(): string | undefined {
    const failure = this.#failure;
    return failure !== undefined && this.#app.clock.monotonic() < failure.untilMs ? failure.message : undefined;
  }
}

interface Progress {
  readonly done: number;
  readonly total: number;
}

/** One run over the passages that wait. */
interface Run {
  ended: Promise<void>;
  progress: Progress;
  failure: string | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Files as the settings and the user's permanent answers say; sessions, whose models were sent the same. */
async function sendable(app: App): Promise<(source: PassageSource) => boolean> {
  const [{ projectPolicy }, { openGrants }] = await Promise.all([
    import('./tools/project-policy.ts'),
    import('./tools/grants-file.ts'),
  ]);
  const { policy } = await projectPolicy(app, { grants: openGrants(app), isConfined: false });
  const isHidden = hiddenBy(app, policy);
  return ({ kind, home, name }) => !isHidden({ kind, place: `${name}:1`, project: home });
}
