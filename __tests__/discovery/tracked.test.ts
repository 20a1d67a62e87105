import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { discover, discoverAll } from '../../lib/discovery/index.ts';
import { readTracked } from '../../lib/discovery/tracked.ts';
import { createTree, type Tree } from '../support/tree.ts';

describe('tracked files', () => {
  test.each([
    ['version 2', ['--index-version', '2'], 'sha1'],
    ['version 3, for an entry that is only meant to be added', ['--index-version', '3'], 'sha1'],
    ['version 4', ['--index-version', '4'], 'sha1'],
    ['SHA-256', ['--index-version', '2'], 'sha256'],
  ] as const)('are read from an index of %s', (_title, options, format) => {
    using tree = repository(format, { 'a.ts': '', 'lib/b.ts': '', 'lib/deep/ü.ts': '', 'other.ts': '' });
    git(tree, 'add', 'a.ts', 'lib');
    git(tree, 'add', '--intent-to-add', 'other.ts');
    git(tree, 'update-index', ...options);
    const tracked = readTracked(indexOf(tree), format === 'sha256' ? 32 : 20)!;
    for (const path of ['a.ts', 'lib/b.ts', 'lib/deep/ü.ts', 'other.ts'])
      expect([path, tracked.has(path)]).toEqual([path, true]);
    expect(tracked.has('lib')).toBe(false);
    expect([tracked.holds('lib'), tracked.holds('lib/deep'), tracked.holds('li')]).toEqual([true, true, false]);
  });

  test('of a split index are treated as none', () => {
    using tree = repository('sha1', { 'a.ts': '' });
    git(tree, 'add', 'a.ts');
    git(tree, 'update-index', '--split-index');
    expect(readTracked(indexOf(tree))).toBeUndefined();
  });

  test('of an index that is cut off anywhere are all found or treated as none', () => {
    using tree = repository('sha1', { 'a.ts': '', 'lib/b.ts': '' });
    git(tree, 'add', '.');
    const whole = readFileSync(indexOf(tree));
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(indexOf(tree), whole.subarray(0, length));
      const tracked = readTracked(indexOf(tree));
      if (tracked) expect([length, tracked.has('a.ts'), tracked.has('lib/b.ts')]).toEqual([length, true, true]);
    }
  });

  test('in a directory called build make it part of the project, and its ignored files stay out', async () => {
    using tree = repository('sha1', {
      '.gitignore': '*.o\n',
      'src/build/version.go': '',
      'src/build/new.go': '',
      'src/build/version.o': '',
      'dist/app.js': '',
    });
    git(tree, 'add', 'src/build/version.go');
    const found = discover({ root: tree.root });
    const names: string[] = [];
    for await (const some of found.names()) names.push(...some.map(({ relativePath }) => relativePath));
    expect(names.filter((name) => name.includes('.'))).toEqual([
      '.gitignore',
      'src/build/new.go',
      'src/build/version.go',
    ]);
    expect(found.report).toMatchObject({ builtin: 1, builtinNames: ['dist'] });
  });

  test('are left out by an .ollmignore', async () => {
    using tree = repository('sha1', { '.ollmignore': 'secret.md\n', 'secret.md': '', 'a.md': '' });
    git(tree, 'add', '.');
    const paths = (await discoverAll({ root: tree.root })).map(({ relativePath }) => relativePath);
    expect(paths).toEqual(['.ollmignore', 'a.md']);
  });
});

function repository(format: 'sha1' | 'sha256', files: Readonly<Record<string, string>>): Tree {
  const tree = createTree(files);
  git(tree, 'init', '-q', `--object-format=${format}`);
  return tree;
}

function git({ root }: Tree, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: root, stdio: 'ignore' });
}

function indexOf({ root }: Tree): string {
  return join(root, '.git', 'index');
}
