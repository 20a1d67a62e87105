import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Disk, directDisk, diskOf, threadedDisk, unlessAborted } from '../../lib/discovery/disk.ts';
import type { FileEntry } from '../../lib/discovery/index.ts';
import { sorted, walk } from '../../lib/discovery/walk.ts';
import { createTree, type Tree } from '../support/tree.ts';

async function read({ root }: Tree, disk: Disk) {
  const found = walk({ root, maxDepth: 3 }, { disk });
  const entries: FileEntry[] = [];
  for await (const some of found.entries()) entries.push(...some);
  const { unreadablePaths, ...counts } = found.report;
  return { entries: sorted(entries), ...counts, unreadablePaths: unreadablePaths.toSorted() };
}

test('a disk of this machine is read directly, what the kernel makes up is not', () => {
  if (process.platform !== 'linux') return console.info('skipped: only Linux tells');
  expect(diskOf(import.meta.dirname)).toBe(directDisk);
  expect(diskOf('/proc')).toBe(threadedDisk);
  expect(diskOf('/nowhere/at/all')).toBe(threadedDisk);
});

test('by threads the same is found', async () => {
  const path = fc.array(fc.constantFrom('a', 'b', 'dist', 'link'), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 12 }), fc.boolean(), async (paths, isIgnored) => {
      using tree = createTree(Object.fromEntries(paths.map((parts) => [[...parts, 'file.ts'].join('/'), 'x'])));
      if (isIgnored) tree.write({ '.gitignore': 'b\n' });
      symlinkSync('a', join(tree.root, 'other'));
      expect(await read(tree, threadedDisk)).toEqual(await read(tree, directDisk));
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['directly', directDisk],
  ['by threads', threadedDisk],
])('%s, what is gone is undefined, and of what cannot be looked at is told', async (_title, disk) => {
  using tree = createTree({ 'a.ts': 'text' });
  const paths = ['a.ts', 'gone', 'x'.repeat(300)].map((name) => join(tree.root, name));
  const failed: number[] = [];
  const stats = await disk.look(paths, (index) => failed.push(index));
  expect(stats.map((stat) => stat?.size)).toEqual([4, undefined, undefined]);
  expect(failed).toEqual([2]);

  const list = (path: string) =>
    disk.list(path, (error) => {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOTDIR');
      return [];
    });
  expect(await list(paths[0]!)).toEqual([]);
  expect((await list(tree.root)).map(({ name }) => name)).toEqual(['a.ts']);
});

test('a directory too large to be read at once is read in pieces, and whole', async () => {
  const names = Array.from({ length: 2000 }, (_, index) => `${String(index).padStart(4, '0')}${'x'.repeat(200)}`);
  using tree = createTree(Object.fromEntries(names.map((name) => [name, ''])));
  const entries = await directDisk.list(tree.root, () => []);
  expect(entries.map(({ name }) => name).sort()).toEqual(names);
  expect(entries.every((entry) => entry.isFile())).toBe(true);
});

test("an abort does not wait for a disk that never answers, and what fails later is nobody's failure", async () => {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  const answers = [unlessAborted(new Promise(() => {}), stop.signal), unlessAborted(late.promise, stop.signal)];
  stop.abort('enough');
  late.reject(new Error('too late'));
  for (const answer of answers) await expect(answer).rejects.toBe('enough');
  await expect(unlessAborted(Promise.resolve(1), new AbortController().signal)).resolves.toBe(1);
});
