// The only door to the time. A test puts a clock in its place that stops, steps back or runs.

export interface Clock {
  /** Milliseconds since 1970, as the wall clock has it: it may step. */
  now(): number;
  /** Milliseconds from an arbitrary start; never steps back. For durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic() {
    // `performance` is loaded when it is first used, which takes longer than all that a start asks it.
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
};

/** A clock that does not move until it is told to move. For tests. */
export function manualClock(
  startMs = Date.UTC(2026, 0, 1),
): Clock & { advance(ms: number): void; set(ms: number): void } {
  let now = startMs;
  let monotonic = 0;
  return {
    now: () => now,
    monotonic: () => monotonic,
    advance(ms) {
      now += ms;
      monotonic += Math.max(0, ms);
    },
    set(ms) {
      now = ms;
    },
  };
}
