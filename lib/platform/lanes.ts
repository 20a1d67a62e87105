// The one way to do things one after the other, or a few at once: each begins in the order in which it came. A failure
// is only its caller's; the next one begins all the same, after that caller has its result or its error.
import { Budget } from './budget.ts';

/**
 * `count`: how many run at once. One lane is for what must not overlap.
 *
 * @example
 * const saves = new Lanes(1);
 * await saves.run(() => write(file));
 */
export class Lanes {
  readonly #budget: Budget;

  constructor(count: number) {
    this.#budget = new Budget(count);
  }

  get running(): number {
    return this.#budget.used;
  }

  get waiting(): number {
    return this.#budget.waiting;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting === 0;
  }

  /** Never begins before the caller has gone on. @throws OllmError INTERRUPTED: aborted before; what `work` throws */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#budget.use(1, work, signal);
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    return this.#budget.idle();
  }
}
