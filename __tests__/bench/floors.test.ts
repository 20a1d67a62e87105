// The floor of reading, held against splitting: it must do the whole job, or it is none.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eachLine } from '../../bench/floors.ts';

describe('the floor of reading', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-floors-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each([
    ['none', []],
    ['short ones', ['a', '', 'bc']],
    [
      'one that is longer than several blocks, among others',
      ['a', 'x'.repeat(1_500_000), 'b', 'y'.repeat(300_000), 'c'],
    ],
    ['one that ends with a block', ['x'.repeat(2 ** 18 - 1), 'a']],
  ])('finds each line: %s', (_, lines) => {
    const path = join(directory, 'lines');
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    const found: string[] = [];
    expect(eachLine(path, (block, start, end) => found.push(block.toString('utf8', start, end)))).toBe(lines.length);
    expect(found).toEqual(lines);
  });
});
