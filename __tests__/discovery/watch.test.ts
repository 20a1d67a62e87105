import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { discoverAll, type WatchOptions, watchChanges } from '../../lib/discovery/index.ts';
import { createTree, type Tree } from '../support/tree.ts';

const LIMIT_MS = 300_000;
/** About how long the watcher takes to look at a directory again. */
const SETTLED_MS = 300;

/** The reported changes, as `event path`, and a way to wait for one. */
async function watching({ root }: Tree, options: WatchOptions = {}) {
  const told: string[] = [];
  const watch = watchChanges(root, (event, path) => told.push(`${event} ${path.slice(root.length + 1)}`), options);
  await watch.ready;
  return {
    told,
    /** Waits until this is told, and answers with everything that was told since the last time. */
    async until(...wanted: string[]): Promise<string[]> {
      const deadline = performance.now() + LIMIT_MS;
      while (!wanted.every((each) => told.includes(each)) && performance.now() < deadline) await pause(5);
      return told.splice(0);
    },
    [Symbol.dispose]: watch.dispose,
  };
}

describe('watchChanges', () => {
  test('reports no existing file, and each change', async () => {
    using tree = createTree({ 'a.ts': '', 'lib/b.ts': '' });
    using watch = await watching(tree);
    writeFileSync(join(tree.root, 'lib/c.ts'), '');
    expect(await watch.until('add lib/c.ts')).toEqual(['add lib/c.ts']);
    appendFileSync(join(tree.root, 'a.ts'), 'x');
    expect(await watch.until('change a.ts')).toEqual(['change a.ts']);
    rmSync(join(tree.root, 'lib/b.ts'));
    expect(await watch.until('unlink lib/b.ts')).toEqual(['unlink lib/b.ts']);
  });

  test('reports the files in a directory that appears, moves and disappears', async () => {
    using tree = createTree();
    using watch = await watching(tree);
    tree.write({ 'new/deep/a.ts': '' });
    expect(await watch.until('add new/deep/a.ts')).toEqual(['add new/deep/a.ts']);
    renameSync(join(tree.root, 'new'), join(tree.root, 'old'));
    expect((await watch.until('add old/deep/a.ts', 'unlink new/deep/a.ts')).sort()).toEqual([
      'add old/deep/a.ts',
      'unlink new/deep/a.ts',
    ]);
    rmSync(join(tree.root, 'old'), { recursive: true });
    expect(await watch.until('unlink old/deep/a.ts')).toEqual(['unlink old/deep/a.ts']);
  });

  test('a file in place of a directory, and the reverse, is reported as both, once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `x${index}`);
    using tree = createTree(Object.fromEntries(names.map((name) => [`${name}/a.ts`, ''])));
    using watch = await watching(tree);
    const step = async (mark: string, change: (name: string) => void, told: (name: string) => string[]) => {
      for (const name of names) change(name);
      const expected = names.flatMap(told);
      const early = await watch.until(...expected);
      // A wrong report comes late: when the watcher has read the directory again.
      await pause(SETTLED_MS);
      writeFileSync(join(tree.root, mark), '');
      const late = await watch.until(`add ${mark}`);
      expect([...early, ...late].sort()).toEqual([...expected, `add ${mark}`].sort());
    };
    const toFile = (name: string) => {
      rmSync(join(tree.root, name), { recursive: true });
      writeFileSync(join(tree.root, name), '');
    };
    await step('first', toFile, (name) => [`add ${name}`, `unlink ${name}/a.ts`]);
    const toDirectory = (name: string) => {
      rmSync(join(tree.root, name));
      tree.write({ [`${name}/b.ts`]: '' });
    };
    await step('second', toDirectory, (name) => [`add ${name}/b.ts`, `unlink ${name}`]);
  });

  test('ignores files that discovery leaves out', async () => {
    using tree = createTree({ '.gitignore': '*.log\nout/\n', 'out/x.ts': '', 'a/b/c/d.ts': '' });
    using watch = await watching(tree, { maxDepth: 2, excludePatterns: ['*.tmp'], includePatterns: ['*.ts'] });
    symlinkSync('a', join(tree.root, 'link.ts'));
    tree.write({
      'today.log': '',
      'out/y.ts': '',
      'node_modules/z.ts': '',
      '.git/w.ts': '',
      'a/b/c/e.ts': '',
      'a/b/f.md': '',
      'a/g.tmp': '',
      'a/b/last.ts': '',
    });
    expect(await watch.until('add a/b/last.ts')).toEqual(['add a/b/last.ts']);
  });

  test('a file that changes in the middle of a burst is reported as changed', async () => {
    const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}`);
    using tree = createTree({ ...Object.fromEntries(numbered('moved', 300).map((name) => [name, ''])), 'old.ts': 'a' });
    using watch = await watching(tree);
    for (const name of numbered('new', 2000)) writeFileSync(join(tree.root, name), 'x');
    for (const name of numbered('moved', 300)) renameSync(join(tree.root, name), join(tree.root, `to-${name}`));
    for (const name of numbered('new', 200)) rmSync(join(tree.root, name));
    appendFileSync(join(tree.root, 'old.ts'), 'b');
    const told = await watch.until('change old.ts');
    expect(told.filter((each) => each.endsWith(' old.ts'))).toEqual(['change old.ts']);
  });

  test('a changed .gitignore hides and reveals files, immediately and from then on', async () => {
    using tree = createTree({ 'a.log': '', 'logs/b.log': '', 'out/c.ts': '', '.ollmignore': 'out/\n' });
    using watch = await watching(tree);
    tree.write({ '.gitignore': '*.log\n' });
    expect((await watch.until('unlink a.log', 'unlink logs/b.log')).sort()).toEqual([
      'add .gitignore',
      'unlink a.log',
      'unlink logs/b.log',
    ]);
    tree.write({ '.ollmignore': '' });
    expect((await watch.until('add out/c.ts', 'change .ollmignore')).toSorted().at(0)).toBe('add out/c.ts');
    tree.write({ 'out/d.log': '', 'out/d.ts': '' });
    expect(await watch.until('add out/d.ts')).toEqual(['add out/d.ts']);
  });

  test('the rules outside the root are followed too, also later ones', async () => {
    using base = createTree({
      'repo/.git/info/': '',
      'repo/sub/a.log': '',
      'repo/sub/b.tmp': '',
      'repo/sub/c.bak': '',
    });
    const tree = { ...base, root: join(base.root, 'repo/sub') };
    using watch = await watching(tree, { globalExcludes: join(base.root, 'config/ignore') });
    base.write({ 'repo/.gitignore': '*.log\n' });
    expect(await watch.until('unlink a.log')).toEqual(['unlink a.log']);
    base.write({ 'config/ignore': '*.tmp\n' });
    expect(await watch.until('unlink b.tmp')).toEqual(['unlink b.tmp']);
    base.write({ 'repo/.git/info/exclude': '*.bak\n' });
    expect(await watch.until('unlink c.bak')).toEqual(['unlink c.bak']);
  });

  test('a disposed watch reports nothing, and may be disposed of before it is ready', async () => {
    using tree = createTree();
    const told: string[] = [];
    const early = watchChanges(tree.root, (event) => told.push(event));
    early.dispose();
    early.dispose();
    await early.ready;
    const watch = await watching(tree);
    watch[Symbol.dispose]();
    tree.write({ 'a.ts': '' });
    await pause(100);
    expect([...told, ...watch.told]).toEqual([]);
  });

  test('a missing root is an error immediately', () => {
    expect(() => watchChanges('/nowhere/at/all', () => {})).toThrow(expect.objectContaining({ code: 'IO_FAILED' }));
  });
});

describe('Feature: services-sessions, Property 24', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c', 'dist', 'x.log'), { minLength: 1, maxLength: 3 })
    .map((parts) => [...parts, 'file'].join('/'));

  test('Feature: services-sessions, Property 24: each change is reported by its event and path, and only those of listed files', async () => {
    // Either of two files is created, and is changed or removed, before or after the other.
    const paths = fc.tuple(path, path, fc.boolean()).map(([a, b, first]) => (first ? [a, a, b] : [b, a, a]));
    await fc.assert(
      fc.asyncProperty(paths, async (paths) => {
        using tree = createTree({ '.gitignore': '*.log\n' });
        using watch = await watching(tree);
        for (const [index, path] of paths.entries()) {
          const file = join(tree.root, path);
          const event = !existsSync(file) ? 'add' : index % 2 ? 'change' : 'unlink';
          if (event === 'unlink') rmSync(file);
          else mkdirSync(dirname(file), { recursive: true });
          if (event !== 'unlink') appendFileSync(file, event === 'change' ? 'x' : '');
          if (!/dist|x\.log/.test(path)) {
            const expected = `${event} ${path}`;
            expect(await watch.until(expected)).toEqual([expected]);
          }
        }
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  test('Feature: services-sessions, Property 24: the first list and the reported changes give the last list', async () => {
    const rules = fc.constantFrom('', '*.log\n', 'a/\n', '!a/b\n', 'b\n*.log\n', '/c\n!dist/\n');
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('write', 'remove'), path }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove tree'), path }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('rules'),
          path: fc.constantFrom('.gitignore', 'a/.gitignore', 'a/.ollmignore', '.ollmignore'),
          rules,
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { maxLength: 6 }),
        fc.array(step, { minLength: 8, maxLength: 8 }),
        async (before, steps) => {
          using tree = createTree({ 'a/x': '', ...Object.fromEntries(before.map((each) => [each, ''])) });
          const filesNow = async () =>
            (await discoverAll({ root: tree.root }))
              .filter(({ type }) => type === 'file')
              .map((entry) => entry.relativePath);
          const files = new Set(await filesNow());
          const wrong: string[] = [];
          const watch = watchChanges(tree.root, (event, absolute) => {
            const told = absolute.slice(tree.root.length + 1);
            if (files.has(told) !== (event !== 'add')) wrong.push(`${event} ${told}`);
            if (event === 'unlink') files.delete(told);
            else files.add(told);
          });
          await watch.ready;
          try {
            for (const each of steps) {
              const target = join(tree.root, each.kind === 'remove tree' ? dirname(each.path) : each.path);
              if (each.kind.startsWith('remove')) rmSync(target, { recursive: true, force: true });
              else {
                mkdirSync(dirname(target), { recursive: true });
                writeFileSync(target, 'rules' in each ? each.rules : 'x');
              }
              await pause(3);
            }
            const wanted = (await filesNow()).join();
            const deadline = performance.now() + LIMIT_MS;
            while ([...files].sort().join() !== wanted && performance.now() < deadline) await pause(10);
            expect([...files].sort().join()).toBe(wanted);
          } finally {
            watch.dispose();
          }
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
