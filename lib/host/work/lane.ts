// Runs a limited number of tasks of one kind at once; a limited number more wait in order, and others are refused.
import { OllmError } from '../../errors/index.ts';
import { Lanes } from '../../platform/lanes.ts';

interface LaneLimits {
  /** Tasks at once. */
  readonly places: number;
  readonly waiting: number;
}

export class Lane {
  readonly #limits: LaneLimits;
  readonly #places: Lanes;
  #refused = 0;
  /** Milliseconds that the last tasks took, the newer the heavier. */
  #usualMs = 1_000;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
    this.#places = new Lanes(limits.places);
  }

  get figures() {
    return { running: this.#places.running, waiting: this.#places.waiting, refused: this.#refused };
  }

  /** @throws OllmError BUSY, with `data.retryAfterMs`; INTERRUPTED: aborted before it began; and what `task` throws */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    this.#requireRoom();
    const timed = async () => {
      const startedMs = performance.now();
      const result = await task();
      this.#usualMs = this.#usualMs * 0.9 + (performance.now() - startedMs) * 0.1;
      return result;
    };
    return this.#places.run(timed, signal);
  }

  #requireRoom(): void {
    const { places, waiting } = this.#limits;
    const taken = this.#places.running + this.#places.waiting;
    if (taken < places + waiting) return;
    this.#refused += 1;
    const retryAfterMs = Math.round(Math.max(1_000, (this.#usualMs * waiting) / places / 2));
    throw new OllmError('BUSY', `${taken} jobs run or wait, which is as many as may.`, {
      hint: 'Ask again later.',
      data: { retryAfterMs },
    });
  }
}
