import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTree } from '../support/tree.ts';

const BENCH = join(import.meta.dirname, '../../bench/run.ts');
const bench = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--no-warnings', BENCH, ...args], { encoding: 'utf8' });

describe('npm run bench', () => {
  it('measures a case at a small scale, prints its table, writes its results and leaves no other file', () => {
    using tree = createTree();
    const { status, stdout, stderr } = bench('discovery', '--scale', '0.001', '--directory', tree.root);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('| discovery of 200 files');
    expect(readdirSync(tree.root)).toEqual([]);
  });

  it.each([
    [['nothing'], 'There is no case nothing.'],
    [['--scale', '2'], '--scale takes a number above 0, up to 1.'],
    [['--document', '--scale', '0.5'], '--document writes figures of full size.'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j and measures nothing', (args, reason) => {
    const { status, stdout, stderr } = bench(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });
});
