import fc from 'fast-check';
import { SyncPace } from '../../../lib/platform/files/sync-pace.ts';

/** Syncs one behind the other: what was decided for each, on a clock that moves as told. */
function paced() {
  const pace = new SyncPace();
  let nowMs = 0;
  return {
    sync(tookMs: number, pauseMs = 0): boolean {
      nowMs += pauseMs;
      const askedMs = nowMs;
      const isHere = pace.mayWaitHere(askedMs);
      nowMs += tookMs;
      pace.answered(isHere, askedMs, nowMs);
      return isHere;
    },
    fail() {
      pace.failed();
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

/** A loop on a device that answers in 0.125 ms, until syncs are waited for in place. */
function warm() {
  const syncs = paced();
  let isHere = false;
  for (let count = 0; !isHere && count < 100; count++) isHere = syncs.sync(0.125);
  expect(isHere).toBe(true);
  return syncs;
}

function decided(syncs: ReturnType<typeof paced>, count: number, tookMs: number, pauseMs = 0): boolean[] {
  return Array.from({ length: count }, () => syncs.sync(tookMs, pauseMs));
}

describe('the pace of syncs', () => {
  it('is the pool for the first eight, and in place from then on, where the device is quick', () => {
    const first = decided(paced(), 12, 0.125);
    expect(first).toEqual([...new Array(8).fill(false), ...new Array(4).fill(true)]);
  });

  it('is the pool at all times where the device is slow', () => {
    expect(decided(paced(), 500, 1.5)).not.toContain(true);
  });

  it('is the pool at all times for who has other things to do between two syncs', () => {
    expect(decided(paced(), 500, 0.125, 2.5)).not.toContain(true);
  });

  it('is the pool again for who pauses, until there is a new row', () => {
    const syncs = warm();
    expect(syncs.sync(0.125, 3)).toBe(false);
    expect(decided(syncs, 8, 0.125)).toEqual([...new Array(7).fill(false), true]);
  });

  it('lets the event loop turn after five milliseconds, and goes on in place behind that', () => {
    const syncs = warm();
    const inPool = decided(syncs, 40, 0.5).flatMap((isHere, index) => (isHere ? [] : [index]));
    expect(inPool).toEqual([10, 21, 32]);
  });

  it('is in place again behind a hiccup that nobody feels, as soon as four were quick', () => {
    const syncs = warm();
    expect(syncs.sync(8)).toBe(true);
    expect(decided(syncs, 6, 0.125)).toEqual([...new Array(4).fill(false), true, true]);
  });

  it('is the pool where the device is slow more often than each fifth time', () => {
    const syncs = warm();
    const always = Array.from({ length: 100 }, () => [...decided(syncs, 3, 0.125), syncs.sync(1.5)]).flat();
    expect(always.slice(20)).not.toContain(true);
  });

  it('is in place again where the device is slow less often than that', () => {
    const syncs = warm();
    const sometimes = Array.from({ length: 100 }, () => [...decided(syncs, 12, 0.125), syncs.sync(1.5)]).flat();
    expect(sometimes.filter(Boolean).length).toBeGreaterThan(sometimes.length / 2);
  });

  it('is the pool behind a sync that hung, for as many times as long as it took milliseconds, and twice that', () => {
    const syncs = warm();
    expect(syncs.sync(50)).toBe(true);
    expect(decided(syncs, 20, 0.125)).not.toContain(true);
    // A pause ends the row as well, so there is none while the calm lasts.
    syncs.pass(4900);
    expect(decided(syncs, 20, 0.125)).not.toContain(true);
    syncs.pass(100);
    expect(decided(syncs, 9, 0.125)).toEqual([...new Array(8).fill(false), true]);
  });

  it('is the pool behind a sync that failed', () => {
    const syncs = warm();
    syncs.fail();
    expect(syncs.sync(0.125)).toBe(false);
  });

  it('stops the loop for a sync that is felt the more rarely the longer it takes, and for quick ones a few milliseconds on end', () => {
    const step = fc.record({
      tookMs: fc.oneof(
        { weight: 12, arbitrary: fc.double({ min: 0.05, max: 0.9, noNaN: true }) },
        fc.double({ min: 1.01, max: 400, noNaN: true }),
      ),
      pauseMs: fc.oneof({ weight: 30, arbitrary: fc.constant(0.02) }, fc.double({ min: 0, max: 50, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 300, maxLength: 300 }), (steps) => {
        const pace = new SyncPace();
        let nowMs = 0;
        let stretchMs = 0;
        let calmUntilMs = 0;
        for (const { tookMs, pauseMs } of steps) {
          const askedMs = nowMs + pauseMs;
          const isHere = pace.mayWaitHere(askedMs);
          nowMs = askedMs + tookMs;
          pace.answered(isHere, askedMs, nowMs);
          // One that nobody could know to be slow may come on top.
          if (isHere && stretchMs >= 5) return false;
          stretchMs = isHere ? stretchMs + (nowMs - askedMs) : 0;
          if (isHere && askedMs < calmUntilMs) return false;
          // A sixteenth of the time at most, and from 50 ms on a hundredth.
          const slowMs = nowMs - askedMs;
          if (isHere && slowMs > 8) calmUntilMs = nowMs + slowMs * Math.min(slowMs, 50) * 2;
        }
        return true;
      }),
      { numRuns: 200 },
    );
  });
});
