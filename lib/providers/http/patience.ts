// How long a server may be silent. The time runs only while something of the server's is waited for, so that a caller
// who takes a pause is not taken for a server that does.
import { waitFor } from '../../platform/waiting.ts';

export interface Patience {
  /** Aborts, with what `silent` says for a reason, when the server was silent for too long. */
  readonly signal: AbortSignal;
  /** Waits for one step of the server. */
  for<Value>(promise: Promise<Value>): Promise<Value>;
}

export function createPatience(timeoutSeconds: number, silent: (timeoutSeconds: number) => Error): Patience {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    async for(promise) {
      const waited = await waitFor(promise, { timeoutMs: timeoutSeconds * 1000 });
      if (waited.kind === 'timeout') stop.abort(silent(timeoutSeconds));
      return promise;
    },
  };
}
