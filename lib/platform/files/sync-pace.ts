// When to wait for the device right here instead of in the thread pool. The way through the pool takes about 50 µs, as
// long as a quick device needs for the whole sync; waiting here stops everything else in the process. So it is done
// only for a caller that has nothing to do but wait, on a device that answers at once, and for a few milliseconds before
// the event loop has its turn. How long one sync hangs cannot be bounded; how often that can happen is.

/** A sync that took longer was not quick: it is no reason to wait here for the next one. */
const QUICK_MS = 1;
/** Who comes later than this after the last answer has other things to do in between. */
const AT_ONCE_MS = 2;
/** Quick syncs, each asked for right behind the other, that show a loop of them on a quick device. */
const ROW = 8;
/** How many quick ones make up for a slow one: a device that is slow more often than each fifth time is none to wait for. */
const QUICK_FOR_SLOW = 4;
/** How long syncs are waited for here in all, before one goes through the pool and lets the event loop turn. */
const STRETCH_MS = 5;
/** Half of what a screen shows a picture for: a stop as short as this is not felt, and quick devices have some all the time. */
const FELT_MS = 8;
/**
 * How long none is waited for here after one that may have been felt: its length in milliseconds times itself, times this. After
 * 10 ms it is a fifth of a second, after 50 ms five seconds: such stops take a sixteenth of the time at most, and a hundredth.
 */
const CALM_PER_MS = 2;

/** The syncs of one file. Times are in milliseconds of a clock that never steps back. */
export class SyncPace {
  #row = 0;
  #stretchMs = 0;
  #lastAnswerMs = Number.NEGATIVE_INFINITY;
  #calmUntilMs = Number.NEGATIVE_INFINITY;

  /** Whether a sync that is asked for now may be waited for here. */
  mayWaitHere(nowMs: number): boolean {
    if (nowMs - this.#lastAnswerMs > AT_ONCE_MS) this.#row = 0;
    return this.#row >= ROW && this.#stretchMs < STRETCH_MS && nowMs >= this.#calmUntilMs;
  }

  /** A sync has come back. */
  answered(wasHere: boolean, askedMs: number, nowMs: number): void {
    const tookMs = nowMs - askedMs;
    const wasQuick = tookMs <= QUICK_MS;
    this.#row = wasQuick ? Math.min(this.#row + 1, ROW) : Math.max(this.#row - QUICK_FOR_SLOW, 0);
    this.#stretchMs = wasHere ? this.#stretchMs + tookMs : 0;
    this.#lastAnswerMs = nowMs;
    if (wasHere && tookMs > FELT_MS) this.#calmUntilMs = nowMs + tookMs * tookMs * CALM_PER_MS;
  }

  /** A sync has failed: nothing is known about the device any more. */
  failed(): void {
    this.#row = 0;
  }
}
