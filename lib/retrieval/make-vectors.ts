// Makes the vectors of passages that have none yet: some at a time, each lot stored before the next is asked for, so
// that a run that is stopped or killed loses only the last lot. The file is not held while the model works. The caller
// decides which text of each source a model is sent; it contains no secrets.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { DerivedFile } from '../catalog/derived-file.ts';
import { isOllmError, OllmError } from '../errors/index.ts';
import { systemSleep } from '../platform/waiting.ts';
import type { PassageSource } from './passages.ts';
import { type RecallScope, sourcesIn } from './recall-scope.ts';
import { addVectors, prepareVectors, textsOf, waitingOf } from './vectors.ts';

/** A model that makes vectors. */
export interface Embedder {
  /** Provider and model: vectors of another name are never compared. */
  readonly name: string;
  /** @throws OllmError PROVIDER_*, MODEL_NOT_FOUND, CONTEXT_TOO_SMALL, INTERRUPTED */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** The database of the passages, opened for one use at a time. */
export type VectorFile = Pick<DerivedFile, 'edit' | 'tryRead'>;

export interface VectorUpdate {
  readonly embedder: Embedder;
  /** Numbers in each of its vectors, as it just made one. */
  readonly dimensions: number;
  /** The scope of the passages. */
  readonly scope: RecallScope;
  /** Whether a source may be sent to the model; with a passage of it, whether that one may. */
  readonly maySend: (source: PassageSource, passage?: { readonly about: string; readonly text: string }) => boolean;
  /** Takes secrets out of a text before it is sent. */
  readonly clean: (text: string) => string;
  readonly signal: AbortSignal;
  /** Called before each lot. `isFirst`: there were no vectors of this model. */
  readonly onProgress?: ((progress: { done: number; total: number; isFirst: boolean }) => void) | undefined;
}

/** The result of a run. */
export interface MadeVectors {
  readonly made: number;
  /** Passages whose text the model refused, such as one that is too long for it. */
  readonly refused: number;
}

const PASSAGES_AT_ONCE = 32;
const SOURCES_AT_ONCE = 100;
const TRIES = 3;
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** @throws the error of the embedder; vectors made before that stay */
export async function makeVectors(file: VectorFile, update: VectorUpdate): Promise<MadeVectors> {
  const { embedder, dimensions, maySend, signal, clean, onProgress } = update;
  const prepared = await file.edit((edit) => prepareVectors(edit, { model: embedder.name, dimensions }));
  const waiting = prepared.kind === 'done' ? await passagesWaiting(file, update) : new Map<number, PassageSource>();
  const ids = [...waiting.keys()];
  const isFirst = prepared.kind === 'done' && prepared.value;
  let [made, refused] = [0, 0];
  for (let done = 0; done < ids.length; done += PASSAGES_AT_ONCE) {
    signal.throwIfAborted();
    onProgress?.({ done, total: ids.length, isFirst });
    const lot = ids.slice(done, done + PASSAGES_AT_ONCE);
    const read = await file.tryRead((database) => textsOf(database, lot));
    if (read.kind !== 'done') return { made, refused };
    const sent = read.value.filter((each) => maySend(waiting.get(each.passage)!, each));
    const texts = sent.map(({ about, text }) => clean(about === '' ? text : `${about}\n\n${text}`));
    const vectors = await embedEach(embedder, texts, signal);
    if (vectors.some((vector) => vector !== undefined && vector.length !== dimensions))
      throw new OllmError('PROVIDER_BROKEN_STREAM', `The vectors of ${embedder.name} are of different lengths.`);
    const rows = sent.map(({ passage }, index) => ({ passage, vector: vectors[index] }));
    const stored = await file.edit(async (edit) => {
      await edit.add(rows.length, (database) => addVectors(database, rows));
      await edit.flush();
    });
    if (stored.kind !== 'done') return { made, refused };
    const without = vectors.filter((vector) => vector === undefined).length;
    refused += without;
    made += vectors.length - without;
  }
  return { made, refused };
}

/**
 * Each passage that waits, with the first source that it may be sent for. Looked for some sources at a time, so that
 * other work continues.
 */
async function passagesWaiting(
  file: VectorFile,
  { scope, maySend, signal }: VectorUpdate,
): Promise<Map<number, PassageSource>> {
  const found = await file.tryRead((database) => sourcesIn(database, scope));
  const sources = found.kind === 'done' ? found.value : [];
  const waiting = new Map<number, PassageSource>();
  for (let start = 0; start < sources.length; start += SOURCES_AT_ONCE) {
    signal.throwIfAborted();
    const some = sources.slice(start, start + SOURCES_AT_ONCE);
    await file.tryRead((database) => {
      for (const source of some) {
        const passages = waitingOf(database, source.number);
        if (passages.length === 0 || !maySend(source)) continue;
        for (const each of passages) if (!waiting.has(each)) waiting.set(each, source);
      }
    });
    await yieldToOthers();
  }
  return waiting;
}

/** Where a lot is refused, its halves are asked for, so that one text does not cost its neighbours their vectors. */
async function embedEach(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<(Float32Array | undefined)[]> {
  if (texts.length === 0) return [];
  try {
    return [...(await patiently(() => embedder.embed(texts, signal), signal))];
  } catch (error) {
    if (!isAboutTexts(error)) throw error;
    if (texts.length === 1) return [undefined];
    const half = Math.ceil(texts.length / 2);
    const first = await embedEach(embedder, texts.slice(0, half), signal);
    return [...first, ...(await embedEach(embedder, texts.slice(half), signal))];
  }
}

/** The model has answered before, so a refusal now is about the texts. */
function isAboutTexts(error: unknown): boolean {
  if (isOllmError(error, 'CONTEXT_TOO_SMALL')) return true;
  return isOllmError(error, 'PROVIDER_FAILED') && !mayPass(error.data);
}

/** Asks again where that may help, a few times. */
async function patiently<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const advice = isOllmError(error) && mayPass(error.data) ? error.data : undefined;
      if (advice === undefined || tries === TRIES) throw error;
      const waitMs = typeof advice.retryAfterMs === 'number' ? advice.retryAfterMs : PAUSE_MS * tries;
      await systemSleep(Math.min(waitMs, LONGEST_PAUSE_MS), signal);
      signal.throwIfAborted();
    }
  }
}

function mayPass(data: unknown): data is { readonly retryAfterMs?: unknown } {
  return (data as { readonly retryable?: unknown } | undefined)?.retryable === true;
}
