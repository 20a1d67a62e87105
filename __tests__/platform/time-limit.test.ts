import { withinTime } from '../../lib/platform/time-limit.ts';

test('a result in time is returned, even if it is undefined', () => {
  expect(withinTime(1000, () => 42)).toEqual({ value: 42 });
  expect(withinTime(1000, () => undefined)).toEqual({ value: undefined });
});

test('an exception is rethrown unchanged', () => {
  const failure = new TypeError('wrong');
  const thrown = () =>
    withinTime(1000, () => {
      throw failure;
    });
  expect(thrown).toThrow(failure);
});

test.each<[string, () => unknown]>([
  ['a match without end', () => /^(a+)+$/.test(`${'a'.repeat(100)}!`)],
  [
    'a loop without end',
    () => {
      for (;;);
    },
  ],
  [
    'a loop that catches everything',
    () => {
      for (;;) {
        try {
          throw new Error('again');
        } catch {}
      }
    },
  ],
])('%s is stopped, and the next call works as if nothing had happened', (_, run) => {
  expect(withinTime(50, run)).toEqual({ stopped: true });
  expect(withinTime(1000, () => 'fine')).toEqual({ value: 'fine' });
});

test('work that is stopped may have been repeated, and keeps the effects of each run', () => {
  let begun = 0;
  const outcome = withinTime(50, () => {
    begun += 1;
    for (;;);
  });
  expect(outcome).toEqual({ stopped: true });
  // More than once where the machine did something else in that time.
  expect([1, 2, 3]).toContain(begun);
});

test('work without processor time is repeated, and stopped permanently if that continues', () => {
  const idle = new Int32Array(new SharedArrayBuffer(4));
  let runs = 0;
  const run = (idleRuns: number) => () => {
    runs += 1;
    if (runs <= idleRuns) Atomics.wait(idle, 0, 0, 200);
    return runs;
  };
  const outcome = withinTime(50, run(1));
  // On a busy machine the second run can go like the first.
  expect([2, 3]).toContain(runs);
  expect(outcome).toEqual({ value: runs });
  runs = 0;
  expect(withinTime(50, run(9))).toEqual({ stopped: true });
  expect(runs).toBe(3);
});
