import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { createMatcher } from '../../../lib/tools/builtin/matcher.ts';
import { createScene } from './scene.ts';

const FILES = {
  'lib/lock.ts': 'export function lock() {\n  return openLock();\n}\n',
  'docs/lock.md': '# Lock\n\nA lock is taken.\r\n',
  '.gitignore': 'dist/\n',
  'dist/lock.js': 'function lock() {}\n',
  '.env': 'LOCK=secret\n',
  'image.png': Buffer.concat([Buffer.from('lock'), Buffer.alloc(10)]),
};

test('search_files finds lines with their places, in the files of the project', async () => {
  using scene = createScene({ files: FILES });
  expect(await scene.call('search_files', { query: 'lock' })).toBe(
    [
      'docs/lock.md:3: A lock is taken.',
      'lib/lock.ts:1: export function lock() {',
      '[Found in 2 files. Looked at 5 files of the project; skipped: 1 likely to hold credentials, 1 without text.]',
    ].join('\n'),
  );
});

test('search_files has options for case, files and directories', async () => {
  using scene = createScene({ files: FILES });
  expect(await scene.call('search_files', { query: 'LOCK', ignore_case: true, include: '*.ts' })).toMatch(
    /^lib\/lock\.ts:1: .*\nlib\/lock\.ts:2: {3}return openLock\(\);\n\[Found in 1 file\. Looked at 1 file /,
  );
  expect(await scene.call('search_files', { query: '# Lock', path: 'docs' })).toMatch(/^docs\/lock\.md:1: # Lock\n/);
  expect(await scene.call('search_files', { query: 'Lock', path: 'lib/lock.ts' })).toMatch(/^lib\/lock\.ts:2: /);
});

test('search_files takes the signs of a regular expression literally, unless it is asked for one', async () => {
  using scene = createScene({ files: { 'a.txt': 'a.c\nabc\n(x\n' } });
  expect(await scene.call('search_files', { query: 'a.c' })).toMatch(/^a\.txt:1: a\.c\n\[/);
  expect(await scene.call('search_files', { query: '(' })).toMatch(/^a\.txt:3: \(x\n\[/);
  expect(await scene.call('search_files', { query: '^a.c$', is_regex: true })).toMatch(
    /^a\.txt:1: a\.c\na\.txt:2: abc\n\[/,
  );
  expect(await scene.failure('search_files', { query: '(', is_regex: true })).toMatch(
    /^Invalid regular expression.* leave out is_regex to search for the text literally\.$/,
  );
});

test.each([
  ['(a+)+$', `${'a'.repeat(3000)}!`],
  ['(a|aa)*b', 'a'.repeat(3000)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(3000)],
  ['(?:\\p{L}{1,500}){500}', 'a'.repeat(600)],
])('the hostile expression %j is stopped, and the search reports it', async (query, line) => {
  using scene = createScene({ files: { 'a.txt': `${line}\n` } });
  expect(await scene.failure('search_files', { query, is_regex: true })).toMatch(
    /takes too long\. Use one without nested/,
  );
});

test('search_files returns a part of many lines, and their total number', async () => {
  const many = 'needle\n'.repeat(50);
  using scene = createScene({ files: { 'a.txt': many, 'b.txt': many, 'c.txt': many } });
  const text = await scene.call('search_files', { query: 'needle', limit: 25 });
  expect(text.match(/^[abc]\.txt:\d+: needle$/gm)).toHaveLength(25);
  expect(text).toContain('[125 more lines match; narrow it with path or include. Found in 3 files.');
});

test('search_files cuts a long line around the hit', async () => {
  using scene = createScene({ files: { 'a.txt': `${'x'.repeat(10_000)}needle${'y'.repeat(10_000)}` } });
  expect(await scene.call('search_files', { query: 'needle' })).toMatch(/^a\.txt:1: …x{60}needley{174}…\n/);
});

test('search_files names the place that it searched if it finds nothing', async () => {
  using scene = createScene({ files: { 'a.txt': 'x' } });
  expect(await scene.call('search_files', { query: 'nope' })).toBe(
    '"nope" was not found. Looked at 1 file of the project.',
  );
});

describe('a file that may not be read', () => {
  test('is skipped and counted', async () => {
    using scene = createScene({
      files: { 'a.txt': 'needle\n', 'private/b.txt': 'needle\n', 'asked/c.txt': 'needle\n' },
      mayRead: (path) => (path.includes('private') ? 'deny' : path.includes('asked') ? 'ask' : 'allow'),
    });
    expect(await scene.call('search_files', { query: 'needle' })).toBe(
      'a.txt:1: needle\n[Found in 1 file. Looked at 3 files of the project; skipped: 2 not to be read without being asked for.]',
    );
    // The user who let that directory be searched has been asked.
    expect(await scene.call('search_files', { query: 'needle', path: 'asked' })).toMatch(/^asked\/c\.txt:1: needle/);
    expect(await scene.call('search_files', { query: 'needle', path: 'private' })).toMatch(/^"needle" was not found/);
  });

  test('is searched outside the project if the policy allows it', async () => {
    using scene = createScene();
    writeFileSync(`${scene.outside}/x.txt`, 'needle\n');
    const plan = await scene.plan('search_files', { query: 'needle', path: scene.outside });
    expect(plan.action.accesses).toEqual([{ kind: 'read', path: scene.outside }]);
    expect((await scene.run(plan)).content).toContain(`${scene.outside}/x.txt:1: needle`);
  });
});

test('search_files and list_files do not enter a directory that was replaced by a link', async () => {
  using scene = createScene({ files: { 'sub/deep/a.txt': 'harmless\n' } });
  writeFileSync(`${scene.outside}/a.txt`, 'secret\n');
  const plans = [
    await scene.plan('search_files', { query: 'secret', path: 'sub/deep' }),
    await scene.plan('list_files', { path: 'sub/deep' }),
    await scene.plan('list_files', { path: 'sub' }),
  ];
  renameSync(scene.at('sub'), scene.at('was'));
  mkdirSync(`${scene.outside}/deep`);
  symlinkSync(scene.outside, scene.at('sub'));
  for (const plan of plans)
    await expect(scene.run(plan)).rejects.toThrow('leads elsewhere than when this was decided on');
});

test.each<[args: object, words: RegExp]>([
  [{ query: 'a\nb' }, /^The query spans lines/],
  [{ query: '' }, /`query` must NOT have fewer than 1 characters/],
  [{ query: 'x'.repeat(1001) }, /`query` must NOT have more than 1000 characters/],
  [{ query: 'x', path: 'nope' }, /^nope is not there/],
  [{ query: 'x', path: 'image.png' }, /^image\.png is not text/],
  [{ query: 'x', path: 'pipe' }, /^pipe is a device, a socket or a pipe/],
  [{ query: 'x', include: '{' }, /^The include pattern "\{" is left out/],
])('%j is refused with an explanation', async (args, words) => {
  using scene = createScene({ files: FILES });
  execFileSync('mkfifo', [scene.at('pipe')]);
  expect(await scene.failure('search_files', args)).toMatch(words);
});

test('search_files finds exactly the lines with the words, for any text', () => {
  const line = fc
    .array(fc.constantFrom('a', 'b', 'é', 'A', ' ', '.', '\\'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(line), line, fc.boolean(), (lines, query, ignoreCase) => {
      fc.pre(query !== '');
      const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
      const expected = lines.flatMap((text, index) =>
        fold(text).includes(fold(query)) ? [{ line: index + 1, text }] : [],
      );
      const literal = createMatcher({ query, isRegex: false, ignoreCase })(lines.join('\n'), 100);
      const escaped = query.replace(/[.\\]/g, '\\$&');
      const regex = createMatcher({ query: escaped, isRegex: true, ignoreCase })(lines.join('\n'), 100);
      expect(literal).toEqual({ matches: expected, more: 0 });
      expect(regex).toEqual(literal);
    }),
    { numRuns: 200 },
  );
});
