// A limit on bytes in memory or on jobs at once. Work that does not fit waits; smaller work goes past it, so that large
// work holds up only work that is as large. A caller has its result before the work begins that waited for it, and a
// failure is only the caller's.
import { OllmError } from '../errors/index.ts';
import { Waiters } from './waiters.ts';
import { onAbort } from './waiting.ts';

interface Waiter {
  readonly amount: number;
  begin(): void;
}

/** Places of waiters that have gone, at the beginning of their list, before it is made shorter. */
const MOST_EMPTY = 1_024;

export class Budget {
  readonly #most: number;
  /** In the order in which they came. Undefined: gone. */
  #waiters: (Waiter | undefined)[] = [];
  /** Before this place all have gone. */
  #first = 0;
  #waiting = 0;
  #used = 0;
  readonly #idle = new Waiters();

  constructor(most: number) {
    this.#most = most;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting;
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
      // A microtask later: by then the result is on its way to the caller.
      queueMicrotask(() => this.#giveBack(amount));
    }
  }

  /** Resolves when all of it is free and no work waits. */
  idle(): Promise<void> {
    return this.#idle.until(() => this.#used === 0 && this.#waiting === 0);
  }

  #fits(amount: number): boolean {
    return this.#used + amount <= this.#most;
  }

  #take(amount: number): void {
    this.#used += amount;
  }

  /** Resolves when it has been taken. */
  #wait(amount: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { amount, begin: resolve };
    this.#waiters.push(waiter);
    this.#waiting += 1;
    if (signal === undefined) return promise;
    const stopListening = onAbort(signal, () => {
      const place = this.#waiters.indexOf(waiter);
      // Work whose turn has come is stopped by its own signal.
      if (place < 0) return;
      this.#leave(place);
      reject(new OllmError('INTERRUPTED', 'The work was stopped.'));
    });
    return promise.finally(stopListening);
  }

  #giveBack(amount: number): void {
    this.#used -= amount;
    for (let place = this.#first; this.#used < this.#most && place < this.#waiters.length; place += 1) {
      const waiter = this.#waiters[place];
      if (waiter === undefined || !this.#fits(waiter.amount)) continue;
      this.#leave(place);
      this.#take(waiter.amount);
      waiter.begin();
    }
    this.#shorten();
    this.#idle.tell();
  }

  #leave(place: number): void {
    this.#waiters[place] = undefined;
    this.#waiting -= 1;
  }

  #shorten(): void {
    while (this.#first < this.#waiters.length && this.#waiters[this.#first] === undefined) this.#first += 1;
    const isShortEnough = this.#waiting > 0 && this.#first < Math.max(MOST_EMPTY, this.#waiters.length / 2);
    if (this.#first === 0 || isShortEnough) return;
    this.#waiters = this.#waiters.slice(this.#first);
    this.#first = 0;
  }
}
