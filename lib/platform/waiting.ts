// The only way to wait for something that may not come: until a signal aborts, or until a time is over. Only the wait
// ends then; the work continues, and its failure is no longer reported. No listener and no timer outlives its wait.
import { setTimeout as timer } from 'node:timers/promises';

/** What ends a wait early. */
interface WaitLimits {
  readonly signal?: AbortSignal | undefined;
  /** How long the work may still take after the signal. Default: 0. */
  readonly graceMs?: number | undefined;
  /** Default: no limit. Keeps the process alive, unlike AbortSignal.timeout. */
  readonly timeoutMs?: number | undefined;
}

/** How a wait ended. */
type Waited<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'timeout' };

/**
 * Waits for work within limits. Rejects if the work fails before the signal and within the time.
 *
 * @example
 * const waited = await waitFor(child.exited, { signal, timeoutMs: 2_000 });
 * if (waited.kind !== 'done') child.signalGroup('SIGKILL');
 */
export async function waitFor<Value>(work: Promise<Value>, limits: WaitLimits): Promise<Waited<Value>> {
  const { signal, graceMs = 0, timeoutMs } = limits;
  const ended = Promise.withResolvers<Waited<Value>>();
  const timers: NodeJS.Timeout[] = [];
  const endAfter = (ms: number, kind: 'aborted' | 'timeout') =>
    timers.push(setTimeout(() => ended.resolve({ kind }), ms));
  if (timeoutMs !== undefined) endAfter(timeoutMs, 'timeout');
  const stopListening =
    signal && onAbort(signal, () => (graceMs > 0 ? endAfter(graceMs, 'aborted') : ended.resolve({ kind: 'aborted' })));
  work.then(
    (value) => ended.resolve({ kind: 'done', value }),
    (error: unknown) => (signal?.aborted ? ended.resolve({ kind: 'aborted' }) : ended.reject(error)),
  );
  try {
    return await ended.promise;
  } finally {
    stopListening?.();
    for (const each of timers) clearTimeout(each);
  }
}

/** The result of the work; undefined as soon as the signal aborts. */
export async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const waited = await waitFor(work, { signal });
  return waited.kind === 'done' ? waited.value : undefined;
}

/** The result of the work; rejects with the reason of the signal as soon as that aborts. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  const waited = await waitFor(work, { signal });
  if (waited.kind === 'done') return waited.value;
  throw signal?.reason;
}

/** Calls back once: when the signal aborts, or now if it already has. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Waits for a time, or until the signal aborts. A test decides itself when it is over. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const systemSleep: Sleep = async (ms, signal) => {
  await timer(ms, undefined, { signal }).catch(() => undefined);
};

/** A time limit as a signal, which keeps the process alive until `end`. */
interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

export function deadline(timeoutMs: number): Deadline {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), timeoutMs);
  return { signal: controller.signal, end: () => clearTimeout(timeout) };
}
