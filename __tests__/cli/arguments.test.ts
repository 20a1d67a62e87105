// Values of flags that several commands share.
import { resolve } from 'node:path';
import { parseDirectory, parseSince } from '../../lib/cli/arguments.ts';

describe('the value of a flag', () => {
  it.each([
    ['.', process.cwd()],
    ['garden', resolve('garden')],
    ['/home/ada/', '/home/ada'],
    ['D:\\oh my posh', 'D:\\oh my posh'],
    ['c:/garden/./roses', 'c:\\garden\\roses'],
    ['C:\\garden\\', 'C:\\garden'],
    ['\\\\server\\garden\\roses\\', '\\\\server\\garden\\roses'],
  ])('for a directory, %j, is %j', (typed, directory) => expect(parseDirectory(typed)).toBe(directory));

  it('for a directory cannot be another flag', () => {
    expect(() => parseDirectory('--json')).toThrow('Its own value is missing');
  });

  it.each([
    ['2h', 10_000_000 - 7_200_000],
    ['2026-11-21', Date.UTC(2026, 10, 21)],
    ['2026-11-21T20:49:00Z', Date.UTC(2026, 10, 21, 20, 49)],
  ])('for a time, %j, is %d', (typed, ms) => expect(parseSince(typed)(10_000_000)).toBe(ms));

  it.each(['2020', 'ever', '', '2026-13-40', '-2h'])('for a time is not %j', (typed) => {
    expect(() => parseSince(typed)).toThrow('an age or a day');
  });
});
