import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import {
  createDiscoveryCache,
  type DiscoveryCache,
  type DiscoveryOptions,
  discoverAll,
} from '../../lib/discovery/index.ts';
import { createTree, type Tree } from '../support/tree.ts';

const isLinux = process.platform === 'linux';
if (!isLinux) console.info('skipped in part: results are remembered on Linux alone');

describe('a cache of discoveries', () => {
  test('answers from memory when nothing has changed', async () => {
    using tree = createTree({ 'a.ts': '', 'lib/b.ts': '', 'dist/c.js': '' });
    symlinkSync('a.ts', join(tree.root, 'link'));
    using cache = disposable();
    const [first, second] = [await cache.discoverAll(tree), await cache.discoverAll(tree)];
    expect(second).toEqual(await discoverAll(tree));
    expect(second.map((entry, index) => entry === first[index])).toEqual(first.map(() => isLinux));
    const again = cache.discover(tree);
    const paths: string[] = [];
    for await (const { relativePath } of again) paths.push(relativePath);
    expect(paths).toEqual(['a.ts', 'lib', 'lib/b.ts']);
    expect(again.report.links).toBe(1);
    expect(await namesBy(cache, tree)).toEqual(['a.ts', 'lib', 'lib/b.ts']);
  });

  const changes: readonly (readonly [string, (tree: Tree) => void])[] = [
    ['a file is added', ({ root }) => writeFileSync(join(root, 'sub/x.ts'), '')],
    ['a file grows', ({ root }) => appendFileSync(join(root, 'sub/a.ts'), 'more')],
    ['a file gets another time', ({ root }) => utimesSync(join(root, 'sub/a.ts'), 1, 1)],
    ['a file goes', ({ root }) => rmSync(join(root, 'sub/a.ts'))],
    ['a directory moves', ({ root }) => renameSync(join(root, 'sub'), join(root, 'other'))],
    ['something is put into a directory too deep to enter', ({ root }) => writeFileSync(join(root, 'sub/1/2/x'), '')],
    ['the rules change', ({ root }) => writeFileSync(join(root, 'sub/.gitignore'), 'a.ts')],
    ['the rules above the root change', ({ root }) => writeFileSync(join(root, '../.gitignore'), 'a.ts')],
    ['info/exclude changes', ({ root }) => writeFileSync(join(root, '../.git/info/exclude'), 'a.ts')],
    ['the excludes file of the user changes', ({ root }) => writeFileSync(join(root, '../../ignore'), 'a.ts')],
    ['there is no repository any more', ({ root }) => rmSync(join(root, '../.git'), { recursive: true })],
    [
      'another directory takes the place of the root, from above',
      ({ root }) => {
        renameSync(dirname(root), `${dirname(root)}-old`);
        mkdirSync(join(root, 'sub'), { recursive: true });
      },
    ],
  ];

  test.each(changes)('walks again when %s', async (_title, change) => {
    using base = createTree({
      'repo/.git/info/exclude': '*.secret',
      'repo/root/sub/a.ts': 'x',
      'repo/root/b.secret': '',
      'repo/root/sub/1/2/': '',
      ignore: '',
    });
    const tree = { ...base, root: join(base.root, 'repo/root') };
    const request = { root: tree.root, maxDepth: 2, globalExcludes: join(base.root, 'ignore') };
    // The clock of a file system is coarse: what is written at once may bear the time of what was there before.
    utimesSync(join(tree.root, 'sub/1/2'), 1, 1);
    using cache = disposable();
    const before = await cache.discoverAll(request);
    expect((await cache.discoverAll(request)).length).toBe(before.length);
    change(tree);
    const after = await cache.discoverAll(request);
    expect(after).toEqual(await discoverAll(request));
    expect(after).not.toEqual(before);
  });

  test('remembers nothing of what it could not watch: links that are followed, files with several names, too much', async () => {
    using other = createTree({ 'a.ts': '' });
    using tree = createTree({ 'lib/a.ts': '' });
    const isRemembered = async (request: DiscoveryOptions, options = {}) => {
      using cache = disposable(options);
      const [first] = await cache.discoverAll(request);
      return (await cache.discoverAll(request))[0] === first;
    };
    expect(await isRemembered(tree)).toBe(isLinux);
    expect(await isRemembered({ ...tree, followSymlinks: true })).toBe(false);
    expect(await isRemembered(tree, { maxEntries: 1 })).toBe(false);
    expect(await isRemembered(tree, { maxDirectories: 1 })).toBe(false);
    linkSync(join(other.root, 'a.ts'), join(tree.root, 'hard.ts'));
    expect(await isRemembered(tree)).toBe(false);
  });

  test('one that was left in the middle is not taken for the whole', async () => {
    using tree = createTree({ 'a.ts': '', 'b.ts': '', 'c.ts': '' });
    using cache = disposable();
    for await (const _ of cache.discover(tree)) break;
    expect((await cache.discoverAll(tree)).length).toBe(3);
  });

  test('a request is remembered by everything it asks for', async () => {
    using tree = createTree({ 'a.ts': '', 'b.md': '', 'lib/c.ts': '' });
    using cache = disposable();
    for (const more of [
      {},
      { includePatterns: ['*.md'] },
      { excludePatterns: ['*.md'] },
      { maxDepth: 0 },
      { builtinIgnores: ['lib'] },
    ]) {
      const request = { root: tree.root, ...more };
      expect(await cache.discoverAll(request)).toEqual(await discoverAll(request));
    }
  });

  test('whatever happens between two calls, the second says what a walk says', async () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'dist', 'c.log'), { minLength: 1, maxLength: 3 })
      .map((parts) => [...parts, 'file'].join('/'));
    const step = fc.record({ kind: fc.constantFrom('write', 'remove', 'remove tree', 'rules', 'nothing'), path });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
        using tree = createTree({ 'a/b/file': '' });
        using cache = disposable();
        for (const { kind, path } of steps) {
          const target = join(tree.root, path);
          if (kind === 'remove') rmSync(target, { force: true });
          if (kind === 'remove tree') rmSync(dirname(target), { recursive: true, force: true });
          if (kind === 'write' || kind === 'rules') mkdirSync(dirname(target), { recursive: true });
          if (kind === 'write') appendFileSync(target, 'x');
          if (kind === 'rules') writeFileSync(join(dirname(target), '.gitignore'), '*.log\nb\n');
          const found = await discoverAll(tree);
          expect(await namesBy(cache, tree)).toEqual(found.map(({ relativePath }) => relativePath));
          expect(await cache.discoverAll(tree)).toEqual(found);
        }
      }),
      { numRuns: 100 },
    );
  });
});

function disposable(options: Parameters<typeof createDiscoveryCache>[0] = {}) {
  const cache = createDiscoveryCache(options);
  return { ...cache, [Symbol.dispose]: cache.dispose };
}

async function namesBy(cache: DiscoveryCache, { root }: Tree): Promise<string[]> {
  const names: string[] = [];
  for await (const some of cache.discover({ root }).names())
    names.push(...some.map(({ relativePath }) => relativePath));
  return names.sort();
}
