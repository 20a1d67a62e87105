import { symlinkSync } from 'node:fs';
import { createScene } from './scene.ts';

const FILES = {
  'README.md': 'x',
  '.gitignore': 'dist/\n*.log\n',
  'lib/index.ts': 'x',
  'lib/deep/er/a.ts': 'x',
  'dist/out.js': 'x',
  'debug.log': 'x',
  '.ollm/sessions/s.jsonl': 'x',
};

test('list_files lists the project as its author sees it, directories with a slash', async () => {
  using scene = createScene({ files: FILES });
  expect((await scene.call('list_files', {})).split('\n')).toEqual([
    '.gitignore',
    'README.md',
    'lib/',
    'lib/deep/',
    'lib/deep/er/',
    'lib/deep/er/a.ts',
    'lib/index.ts',
  ]);
});

test('list_files can be narrowed by directory, pattern and depth, with paths from the project', async () => {
  using scene = createScene({ files: FILES });
  expect(await scene.call('list_files', { path: 'lib', pattern: '*.ts' })).toBe('lib/deep/er/a.ts\nlib/index.ts');
  expect(await scene.call('list_files', { path: 'lib', depth: 0 })).toBe(
    'lib/deep/\nlib/index.ts\n[not entered, because of depth: 1]',
  );
  expect(await scene.call('list_files', { pattern: '*.py' })).toBe('Nothing was found in the project.');
});

test('the plan of list_files names the directory', async () => {
  using scene = createScene({ files: FILES });
  const { action } = await scene.plan('list_files', { path: 'lib', pattern: '*.ts' });
  expect(action).toEqual({
    tool: 'list_files',
    summary: 'List the files in lib that match "*.ts"',
    isReadOnly: true,
    accesses: [{ kind: 'read', path: scene.at('lib') }],
  });
});

test('list_files lists a part of many files, and their total number', async () => {
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`f${1000 + index}.txt`, 'x']));
  using scene = createScene({ files });
  const text = await scene.call('list_files', {});
  expect(text.split('\n')).toHaveLength(301);
  expect(text).toContain('f1299.txt\n[… 100 more. Narrow it with path, pattern or depth, or raise limit.]');
  expect((await scene.call('list_files', { limit: 400 })).split('\n')).toHaveLength(400);
});

test('list_files does not follow links', async () => {
  using scene = createScene({ files: { 'a.txt': 'x' } });
  symlinkSync('/etc', scene.at('etc'));
  expect(await scene.call('list_files', {})).toBe('a.txt');
});

test.each<[args: object, words: RegExp]>([
  [{ path: 'nope' }, /^nope is not there\.$/],
  [{ path: 'README.md' }, /^README\.md is not a directory\. file_read reads it\.$/],
  [{ pattern: '[' }, /^The include pattern "\[" is left out/],
  [{ depth: -1 }, /`depth` must be >= 0/],
  [{ limit: 1e9 }, /`limit` must be <= 5000/],
])('%j is refused with an explanation', async (args, words) => {
  using scene = createScene({ files: FILES });
  expect(await scene.failure('list_files', args)).toMatch(words);
});
