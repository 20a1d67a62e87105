// A limit on bytes of bodies that are in memory until they are whole. A body that does not fit waits; smaller ones go
// past it, so that a slow sender of a large body holds up only bodies that are as large.
import { onAbort } from '../platform/waiting.ts';

export class ByteBudget {
  #free: number;
  readonly #waiting = new Set<{ readonly bytes: number; begin(): void }>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** `bytes`: at most the whole budget. @throws the reason of `signal`, and what `work` throws */
  async use<Result>(bytes: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#take(bytes, signal);
    try {
      return await work();
    } finally {
      this.#free += bytes;
      this.#beginSome();
    }
  }

  async #take(bytes: number, signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const waiter = { bytes, begin: () => turn.resolve() };
    this.#waiting.add(waiter);
    this.#beginSome();
    const stopListening = onAbort(signal, () => {
      if (this.#waiting.delete(waiter)) turn.reject(signal.reason);
    });
    try {
      await turn.promise;
    } finally {
      stopListening();
    }
  }

  #beginSome(): void {
    for (const waiter of this.#waiting) {
      if (waiter.bytes > this.#free) continue;
      this.#waiting.delete(waiter);
      this.#free -= waiter.bytes;
      waiter.begin();
    }
  }
}
