// A limit on bytes in memory or on jobs at once. Work that does not fit waits; smaller work goes past it, so that large
// work holds up only work that is as large.
import { OllmError } from '../../errors/index.ts';
import { onAbort } from '../../platform/waiting.ts';

export class Budget {
  readonly #waiting = new Set<{ readonly amount: number; begin(): void }>();
  #used = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** `amount`: at most the whole budget. @throws OllmError INTERRUPTED: aborted before it began; what `work` throws */
  async use<Result>(amount: number, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.#take(amount, signal);
    try {
      return await work();
    } finally {
      this.#used -= amount;
      this.#beginSome();
    }
  }

  async #take(amount: number, signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const waiter = { amount, begin: () => turn.resolve() };
    this.#waiting.add(waiter);
    this.#beginSome();
    const stopListening =
      signal &&
      onAbort(signal, () => {
        // Work whose turn has come is stopped by its own signal.
        if (this.#waiting.delete(waiter)) turn.reject(new OllmError('INTERRUPTED', 'The work was stopped.'));
      });
    try {
      await turn.promise;
    } finally {
      stopListening?.();
    }
  }

  #beginSome(): void {
    for (const waiter of this.#waiting) {
      if (this.#used + waiter.amount > this.#most) continue;
      this.#waiting.delete(waiter);
      this.#used += waiter.amount;
      waiter.begin();
    }
  }
}
