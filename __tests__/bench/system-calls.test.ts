// The summary of the kernel's tracer, from which the bench takes what an append asks of the system.
import { callsOf } from '../../bench/system-calls.ts';

const HEAD = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
`;
const foot = (calls: number, errors: string) => `------ ----------- ----------- --------- --------- ----------------
100.00    0.000020           1        ${calls} ${errors.padStart(9)} total
`;

describe('the calls of a traced process', () => {
  it('are counted by their names, with and without errors, and without their sum', () => {
    const summary = `${HEAD} 83.33    0.000020          20         1           fsync
 12.50    0.000003           0        11           write
  4.17    0.000001           0        14         1 statx
${foot(26, '1')}`;
    expect(callsOf(summary)).toEqual({ fsync: 1, write: 11, statx: 14 });
  });

  it('are all there where one of them took all the time', () => {
    const summary = `${HEAD}100.00    0.000020          20         1           fdatasync
  0.00    0.000000           0        11           write
  0.00    0.000000           0        14           statx
${foot(26, '')}`;
    expect(callsOf(summary)).toEqual({ fdatasync: 1, write: 11, statx: 14 });
  });

  it('are all there where none took any time', () => {
    const summary = `${HEAD}  0.00    0.000000           0        11           write
  0.00    0.000000           0        14         1 statx
${foot(25, '1')}`;
    expect(callsOf(summary)).toEqual({ write: 11, statx: 14 });
  });
});
