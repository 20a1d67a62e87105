// The bench as a process: what is wrong with its command line ends it before anything is measured.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';

function bench(...args: string[]) {
  const command = ['--no-warnings', join(ROOT, 'bench/run.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run bench', () => {
  it.each([
    [['--only', 'nomatch'], /^--only nomatch matches none of the cases, which are counts, append, /],
    [['--directory', '/not/there'], /^--directory takes a directory that is there, not \/not\/there\.\n/],
    [
      ['--document', '--only', '^append$'],
      /^One table of docs\/performance\.md is of append, append-disk, append-peers: --document takes all of them\.\n/,
    ],
  ])('ends with 2 at %j, and says why and where help is', (args, reason) => {
    const { status, stdout, stderr } = bench(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/\nWhat there is: npm run bench -- --help\n$/);
  });

  it('has examples in its help', () => {
    expect(bench('--help')).toEqual({ status: 0, stdout: expect.stringMatching(/\nExamples:\n {2}npm/), stderr: '' });
  });
});
