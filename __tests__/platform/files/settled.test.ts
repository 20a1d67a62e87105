import { isSettled } from '../../../lib/platform/files/settled.ts';

it.each([
  ['2 s ago', 8_000, true],
  ['less than 2 s ago', 8_001, false],
  ['later than now, as by a clock that was set back', 11_000, false],
])('a file that changed %s is settled or not: %s', (_name, changedMs, expected) => {
  expect(isSettled({ changedNs: BigInt(changedMs) * 1_000_000n }, 10_000)).toBe(expected);
});
