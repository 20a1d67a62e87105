// A limit on bytes in memory or on jobs at once. Work that does not fit waits; smaller work goes past it, so that large
// work holds up only work that is as large. A caller has its result before the work begins that waited for it, and a
// failure is only the caller's.
import { OllmError } from '../errors/index.ts';
import { Waiters } from './waiters.ts';
import { onAbort } from './waiting.ts';

export class Budget {
  readonly #most: number;
  readonly #waiting = new Set<{ readonly amount: number; begin(): void }>();
  readonly #waiters = new Waiters();
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * The work begins after the caller has gone on, also where there is room for it. `amount`: at most the whole budget.
   * @throws OllmError INTERRUPTED: aborted before it began; what `work` throws
   */
  async use<Result>(amount: number, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await (this.#fits(amount) ? this.#take(amount) : this.#wait(amount, signal));
    try {
      return await work();
    } finally {
      this.#giveBack(amount);
    }
  }

  /** Resolves when all of it is free and no work waits. */
  idle(): Promise<void> {
    return this.#waiters.until(() => this.#used === 0 && this.#waiting.size === 0);
  }

  #fits(amount: number): boolean {
    return this.#used + amount <= this.#most;
  }

  #take(amount: number): void {
    this.#used += amount;
  }

  /** Resolves when it has been taken. */
  async #wait(amount: number, signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const waiter = { amount, begin: () => turn.resolve() };
    this.#waiting.add(waiter);
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

  #giveBack(amount: number): void {
    this.#used -= amount;
    for (const waiter of this.#waiting) {
      if (this.#used >= this.#most) break;
      if (!this.#fits(waiter.amount)) continue;
      this.#waiting.delete(waiter);
      this.#take(waiter.amount);
      waiter.begin();
    }
    this.#waiters.tell();
  }
}
