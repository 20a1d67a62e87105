// How long a server may be silent. The time runs only while something of the server's is waited for, so that a caller
// who takes a pause is not taken for a server that does.

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
      const timer = setTimeout(() => stop.abort(silent(timeoutSeconds)), timeoutSeconds * 1000);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
