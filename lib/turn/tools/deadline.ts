// A time limit as a signal. Unlike AbortSignal.timeout it keeps the process alive until it is over.

export interface Deadline {
  readonly signal: AbortSignal;
  /** Once it does not matter any more. */
  end(): void;
}

export function deadline(ms: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
