import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { nodeFileSystem, systemError } from '../../../lib/platform/index.ts';
import { unifiedDiff } from '../../../lib/tools/builtin/unified-diff.ts';
import { createScene, interrupted } from './scene.ts';

/** The leftovers of an interrupted change. */
const leftOvers = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('.ollm-'));

test('file_write creates a file, with the directories above it, with the rights of the user’s mask', async () => {
  using scene = createScene();
  const plan = await scene.plan('file_write', { path: 'new/deep/a.txt', content: 'one\ntwo\n' });
  expect(plan.action).toEqual({
    tool: 'file_write',
    summary: 'Create new/deep/a.txt (+2 −0)',
    isReadOnly: false,
    accesses: [{ kind: 'write', path: scene.at('new/deep/a.txt') }],
    preview: { kind: 'diff', text: '--- /dev/null\n+++ b/new/deep/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n' },
  });
  expect(existsSync(scene.at('new'))).toBe(false);
  const { content, display } = await scene.run(plan);
  expect(content).toBe('Created new/deep/a.txt (+2 −0), 8 bytes.');
  expect(display).toContain('+two');
  expect(readFileSync(scene.at('new/deep/a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(statSync(scene.at('new/deep/a.txt')).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(leftOvers(scene.at('new/deep'))).toEqual([]);
});

test('file_write replaces a file, shown as a diff, and keeps its rights except those of its owner', async () => {
  using scene = createScene({ files: { 'run.sh': 'one\ntwo\nthree\n' } });
  chmodSync(scene.at('run.sh'), 0o4751);
  const plan = await scene.plan('file_write', { path: 'run.sh', content: 'one\n2\nthree\n' });
  expect(plan.action.summary).toBe('Replace run.sh (+1 −1)');
  expect(plan.action.preview?.text).toBe('--- a/run.sh\n+++ b/run.sh\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
  await scene.run(plan);
  expect(readFileSync(scene.at('run.sh'), 'utf8')).toBe('one\n2\nthree\n');
  expect(statSync(scene.at('run.sh')).mode & 0o7777).toBe(0o751);
});

test('file_write replaces the target of a link, and keeps the link', async () => {
  using scene = createScene({ files: { 'real.txt': 'old\n' } });
  symlinkSync('real.txt', scene.at('link.txt'));
  const plan = await scene.plan('file_write', { path: 'link.txt', content: 'new\n' });
  expect(plan.action.accesses).toEqual([{ kind: 'write', path: scene.at('real.txt') }]);
  await scene.run(plan);
  expect(readFileSync(scene.at('real.txt'), 'utf8')).toBe('new\n');
});

describe('file_write writes nothing', () => {
  test('over a file that changed since it was shown', async () => {
    using scene = createScene({ files: { 'a.txt': 'one\n' } });
    const plan = await scene.plan('file_write', { path: 'a.txt', content: 'mine\n' });
    writeFileSync(scene.at('a.txt'), 'two\n');
    await expect(scene.run(plan)).rejects.toThrow('a.txt was changed after this was planned. Nothing was written.');
    expect(readFileSync(scene.at('a.txt'), 'utf8')).toBe('two\n');
    expect(leftOvers(scene.root)).toEqual([]);
  });

  test('over a file that appeared since', async () => {
    using scene = createScene();
    const plan = await scene.plan('file_write', { path: 'a.txt', content: 'mine\n' });
    scene.write({ 'a.txt': 'theirs\n' });
    await expect(scene.run(plan)).rejects.toThrow('a.txt was made by another program meanwhile');
    expect(readFileSync(scene.at('a.txt'), 'utf8')).toBe('theirs\n');
    expect(leftOvers(scene.root)).toEqual([]);
  });

  test('if the file has disappeared since', async () => {
    using scene = createScene({ files: { 'a.txt': 'one\n' } });
    const plan = await scene.plan('file_write', { path: 'a.txt', content: 'mine\n' });
    renameSync(scene.at('a.txt'), scene.at('b.txt'));
    await expect(scene.run(plan)).rejects.toThrow('a.txt was changed after this was planned');
    expect(existsSync(scene.at('a.txt'))).toBe(false);
  });

  test('through a link that replaced a directory', async () => {
    using scene = createScene({ files: { 'sub/a.txt': 'one\n' } });
    const plans = [
      await scene.plan('file_write', { path: 'sub/a.txt', content: 'mine\n' }),
      await scene.plan('file_write', { path: 'sub/new/b.txt', content: 'mine\n' }),
    ];
    renameSync(scene.at('sub'), scene.at('was'));
    symlinkSync(scene.outside, scene.at('sub'));
    for (const plan of plans)
      await expect(scene.run(plan)).rejects.toThrow('leads elsewhere than when this was decided on. Nothing was done.');
    expect(readdirSync(scene.outside)).toEqual([]);
  });

  test('if it is stopped before', async () => {
    using scene = createScene();
    const plan = await scene.plan('file_write', { path: 'a.txt', content: 'x' });
    await expect(scene.run(plan, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(existsSync(scene.at('a.txt'))).toBe(false);
  });

  test.each([
    ['ENOSPC', 'a.txt cannot be written: the disk is full.'],
    ['EIO', 'a.txt could not be written (EIO).'],
    ['EROFS', 'a.txt lies on a disk that cannot be written.'],
  ] as const)('if the disk answers %s, and the old content stays', async (code, words) => {
    const failing = interrupted('rename', () => {
      throw systemError(code, 'rename');
    });
    using scene = createScene({ files: { 'a.txt': 'old\n' }, fileSystem: failing });
    expect(await scene.failure('file_write', { path: 'a.txt', content: 'new\n' })).toBe(words);
    expect(readFileSync(scene.at('a.txt'), 'utf8')).toBe('old\n');
    expect(leftOvers(scene.root)).toEqual([]);
  });

  test.each<[title: string, args: { path: string; content: string }, words: RegExp]>([
    ['a directory', { path: 'lib', content: 'x' }, /^lib is a directory/],
    ['the project', { path: '.', content: 'x' }, /^\. is a directory/],
    ['a pipe', { path: 'pipe', content: 'x' }, /^pipe is a device, a socket or a pipe/],
    ['a file on the way', { path: 'file.txt/x', content: 'x' }, /leads through something that is a file/],
    ['half a surrogate pair', { path: 'a.txt', content: 'a\ud83d' }, /half of a surrogate pair/],
    ['too much', { path: 'a.txt', content: 'x'.repeat(10 * 1024 * 1024 + 1) }, /at most 10 MiB/],
  ])('for %s', async (_, args, words) => {
    using scene = createScene({ files: { 'file.txt': 'x' } });
    mkdirSync(scene.at('lib'));
    execFileSync('mkfifo', [scene.at('pipe')]);
    await expect(scene.plan('file_write', args)).rejects.toThrow(words);
  });
});

test('the fault of a place that may not be read is reported only after the decision', async () => {
  using scene = createScene();
  mkdirSync(`${scene.outside}/private`);
  const plan = await scene.plan('file_write', { path: `${scene.outside}/private`, content: 'x' });
  expect(plan.action).toEqual({
    tool: 'file_write',
    summary: `Write ${scene.outside}/private`,
    isReadOnly: false,
    accesses: [{ kind: 'write', path: `${scene.outside}/private` }],
  });
  await expect(scene.run(plan)).rejects.toThrow('is a directory');
});

test('file_write creates files on a disk without hard links', async () => {
  const without = interrupted('link', () => {
    throw systemError('EPERM', 'link');
  });
  using scene = createScene({ fileSystem: without });
  await scene.call('file_write', { path: 'a.txt', content: 'x\n' });
  expect(readFileSync(scene.at('a.txt'), 'utf8')).toBe('x\n');
  expect(leftOvers(scene.root)).toEqual([]);
});

test('a reader during file_write sees the old or the new content, whole', async () => {
  const [old, next] = ['a'.repeat(200_000), 'b'.repeat(300_000)];
  const seen = new Set<string>();
  const scene = createScene({
    files: { 'a.txt': old },
    fileSystem: new Proxy(nodeFileSystem, {
      get(target, name: keyof typeof nodeFileSystem) {
        const seenNow = readFileSync(scene.at('a.txt'), 'utf8');
        seen.add(`${seenNow[0]}${seenNow.length}`);
        return target[name];
      },
    }),
  });
  using _ = scene;
  await scene.call('file_write', { path: 'a.txt', content: next });
  seen.add(readFileSync(scene.at('a.txt'), 'utf8').length.toString());
  expect([...seen].sort()).toEqual(['300000', 'a200000', 'b300000'].filter((one) => seen.has(one)).sort());
});

describe('a difference', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', 'ü', '--- x', '+++ y', '\\ no'), { maxLength: 30 })
    .chain((lines) => fc.boolean().map((ends) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')));

  test('is complete: applied to the old text it gives the new one', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const difference = await unifiedDiff('x', before, after);
        if (before === after) expect(difference).toEqual({ text: '', addedLines: 0, removedLines: 0 });
        else expect(applyPatch(before, difference.text)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  test('shows only the differing part', async () => {
    const lines = (change: string) =>
      Array.from({ length: 100 }, (_, index) => `${index % 40 === 9 ? change : ''}${index}\n`);
    const difference = await unifiedDiff('x', lines('old ').join(''), lines('new ').join(''));
    expect(difference).toMatchObject({ addedLines: 3, removedLines: 3 });
    expect(difference.text.match(/^@@ /gm)).toHaveLength(3);
  });

  test('of texts without anything in common is all of both, and is found soon', async () => {
    const side = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name} ${index}\n`).join('');
    const [before, after] = [`same\n${side('old')}end\n`, `same\n${side('new')}end\n`];
    const difference = await unifiedDiff('x', before, after);
    expect(difference).toMatchObject({ addedLines: 20_000, removedLines: 20_000 });
    expect(applyPatch(before, difference.text)).toBe(after);
  });
});
