import { withinTime } from '../../lib/tools/time-limit.ts';

test('what comes back in time is handed on, undefined too', () => {
  expect(withinTime(1000, () => 42)).toEqual({ value: 42 });
  expect(withinTime(1000, () => undefined)).toEqual({ value: undefined });
});

test('what is thrown is thrown on as it is', () => {
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
])('%s is stopped, and the next call works as if nothing had been', (_, run) => {
  expect(withinTime(50, run)).toEqual({ stopped: true });
  expect(withinTime(1000, () => 'fine')).toEqual({ value: 'fine' });
});

test('what was changed before the stop stays changed', () => {
  const seen: number[] = [];
  const outcome = withinTime(50, () => {
    seen.push(1);
    for (;;);
  });
  expect(outcome).toEqual({ stopped: true });
  expect(seen).toEqual([1]);
});
