// Runs a limited number of tasks of one kind at once; a limited number more wait in order, and others are refused.
import { OllmError } from '../../errors/index.ts';
import { onAbort } from '../../platform/waiting.ts';

interface LaneLimits {
  /** Tasks at once. */
  readonly places: number;
  readonly waiting: number;
}

export class Lane {
  readonly #limits: LaneLimits;
  readonly #queue = new Set<() => void>();
  #running = 0;
  #refused = 0;
  /** Milliseconds that the last tasks took, the newer the heavier. */
  #usualMs = 1_000;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  get figures() {
    return { running: this.#running, waiting: this.#queue.size, refused: this.#refused };
  }

  /** @throws OllmError BUSY, with `data.retryAfterMs`; INTERRUPTED: aborted before it began; and what `task` throws */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    this.#requireRoom();
    await this.#turn(signal);
    const startedMs = performance.now();
    try {
      const result = await task();
      this.#usualMs = this.#usualMs * 0.9 + (performance.now() - startedMs) * 0.1;
      return result;
    } finally {
      this.#leave();
    }
  }

  #requireRoom(): void {
    const { places, waiting } = this.#limits;
    const taken = this.#running + this.#queue.size;
    if (taken < places + waiting) return;
    this.#refused += 1;
    const retryAfterMs = Math.round(Math.max(1_000, (this.#usualMs * waiting) / places / 2));
    throw new OllmError('BUSY', `${taken} jobs run or wait, which is as many as may.`, {
      hint: 'Ask again later.',
      data: { retryAfterMs },
    });
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#running < this.#limits.places) {
      this.#running += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const begin = () => turn.resolve();
    this.#queue.add(begin);
    const stopListening =
      signal &&
      onAbort(signal, () => {
        // A task whose turn has come leaves the queue itself.
        if (this.#queue.delete(begin)) turn.reject(new OllmError('INTERRUPTED', 'The work was stopped.'));
      });
    try {
      await turn.promise;
    } finally {
      stopListening?.();
    }
  }

  /** The place goes to the next one that waits. */
  #leave(): void {
    const [next] = this.#queue;
    if (next === undefined) this.#running -= 1;
    else {
      this.#queue.delete(next);
      next();
    }
  }
}
