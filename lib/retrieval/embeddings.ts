// The model that makes vectors of passages and questions, if the settings name one. Passages get theirs in the
// background, one run at a time; a failure is reported once, and the model rests for a while. Nothing is sent to any
// model that the settings do not name, no secret, and nothing of a file that a rule hides from models or asks about.
import { countOf } from '../display/quantities.ts';
import { isOllmError, messageOf } from '../errors/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { waitFor } from '../platform/waiting.ts';
import type { QuestionVector } from './by-meaning.ts';
import type { Embedder, MadeVectors, VectorUpdate } from './make-vectors.ts';
import type { RecallScope } from './recall-scope.ts';

interface EmbeddingPorts {
  readonly embedder: Embedder;
  /** Stores them. `busy`: another process is at it. */
  makeVectors(update: VectorUpdate): Promise<MadeVectors | 'busy'>;
  /** What takes secrets out of a text before it is sent. */
  redactor(): Promise<(text: string) => string>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
}

interface VectorWait {
  /** Numbers in a vector of the model, as it just made one for the question. */
  readonly dimensions: number;
  readonly signal?: AbortSignal | undefined;
  /** How long the passages of the scope are waited for. */
  readonly waitMs: number;
  /** What may be sent to the model: asked once for each run. */
  readonly sendable: () => Promise<VectorUpdate['maySend']>;
  readonly onProgress?: ((progress: { done: number; total: number; name: string }) => void) | undefined;
}

/** How long a model rests after a failure. */
const REST_MS = 30_000;

export class Embeddings {
  /** Provider and model, as people know them. */
  readonly name: string;
  readonly #ports: EmbeddingPorts;
  readonly #stop = new AbortController();
  #run: Run | undefined;
  /** The notice about data that is sent to the model, until the user has seen it. */
  #announcement: string | undefined;
  #failure: { readonly message: string; readonly untilMs: number } | undefined;

  constructor(ports: EmbeddingPorts) {
    this.name = ports.embedder.name;
    this.#ports = ports;
  }

  /** The vector of a question; undefined, with the reason in `notes`, where there is none in that time. */
  async question(
    text: string,
    { signal, timeoutMs }: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<{ readonly vector: QuestionVector | undefined; readonly notes: readonly string[] }> {
    const failure = this.#recentFailure();
    if (failure !== undefined) return { vector: undefined, notes: [failure] };
    const stop = new AbortController();
    const limits = [stop.signal, this.#stop.signal, ...(signal === undefined ? [] : [signal])];
    const clean = await this.#ports.redactor();
    const asked = this.#ports.embedder.embed([clean(text)], AbortSignal.any(limits));
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

  /** Ends the work in the background. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#run?.ended;
  }

  /**
   * Makes missing vectors in the background, and waits for them for a while. Returns failures and work that still runs,
   * each as a sentence.
   */
  async catchUp(scope: RecallScope, wait: VectorWait): Promise<readonly string[]> {
    const { signal, waitMs, onProgress } = wait;
    const failure = this.#recentFailure();
    if (failure !== undefined) return [failure];
    const run = this.#run ?? this.#begin(scope, wait);
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

  #begin(scope: RecallScope, wait: VectorWait): Run {
    const run: Run = { ended: Promise.resolve(), progress: { done: 0, total: 0 }, failure: undefined };
    run.ended = this.#makeAll(scope, wait, run).finally(() => {
      this.#run = undefined;
    });
    this.#run = run;
    return run;
  }

  async #makeAll(scope: RecallScope, { dimensions, sendable }: VectorWait, run: Run): Promise<void> {
    const { signal } = this.#stop;
    try {
      await this.#ports.makeVectors({
        embedder: this.#ports.embedder,
        dimensions,
        scope,
        maySend: await sendable(),
        clean: await this.#ports.redactor(),
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
      this.#ports.log.warn(fields, 'Vectors of passages could not be made');
    }
  }

  #failed(error: unknown): string {
    const hint = isOllmError(error) && error.hint !== undefined ? ` ${error.hint}` : '';
    const message = `Passages are found by their words alone: ${messageOf(error).replace(/\.$/, '')}.${hint}`;
    this.#failure = { message, untilMs: this.#ports.clock.monotonic() + REST_MS };
    return message;
  }

  #recentFailure(): string | undefined {
    const failure = this.#failure;
    return failure !== undefined && this.#ports.clock.monotonic() < failure.untilMs ? failure.message : undefined;
  }
}

interface Progress {
  readonly done: number;
  readonly total: number;
}

/** A run over the passages without vectors. */
interface Run {
  ended: Promise<void>;
  progress: Progress;
  failure: string | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}
