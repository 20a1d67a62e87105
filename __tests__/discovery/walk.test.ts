import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { type DiscoveryOptions, discover, discoverAll, type FoundName } from '../../lib/discovery/index.ts';
import { sorted } from '../../lib/discovery/walk.ts';
import { createTree } from '../support/tree.ts';

async function names(options: DiscoveryOptions): Promise<string[]> {
  return (await discoverAll(options)).map(({ relativePath, type }) =>
    type === 'file' ? relativePath : `${relativePath}/`,
  );
}

async function exhaust(options: DiscoveryOptions) {
  const found = discover(options);
  const paths: string[] = [];
  for await (const entry of found) paths.push(entry.relativePath);
  return { paths, report: found.report };
}

describe('discover', () => {
  test('reports path, size and time of each entry', async () => {
    using tree = createTree({ 'lib/a.ts': '12345' });
    const [directory, file] = await discoverAll({ root: tree.root });
    expect(directory).toMatchObject({ relativePath: 'lib', type: 'directory', path: join(tree.root, 'lib') });
    expect(file).toMatchObject({
      relativePath: 'lib/a.ts',
      type: 'file',
      size: 5,
      path: join(tree.root, 'lib', 'a.ts'),
    });
    expect(file!.modified.getTime()).toBeGreaterThan(0);
  });

  test('leaves out the built-in names at every level, as directories only', async () => {
    using tree = createTree({ 'a/node_modules/x.js': '', 'dist/y.js': '', 'scripts/build': '', '.git/config': '' });
    expect(await names({ root: tree.root })).toEqual(['a/', 'scripts/', 'scripts/build']);
  });

  test('uses other built-in names if they are given', async () => {
    using tree = createTree({ 'dist/y.js': '', 'target/z.rs': '' });
    expect(await names({ root: tree.root, builtinIgnores: ['target'] })).toEqual(['dist/', 'dist/y.js']);
  });

  test('an .ollmignore outranks .gitignore and the built-in names, but never opens .git', async () => {
    using tree = createTree({
      '.gitignore': '*.log\n',
      'sub/.gitignore': 'notes.md\n',
      '.ollmignore': '!keep.log\n!notes.md\n!dist/\n!.git\nprivate/\n',
      'keep.log': '',
      'other.log': '',
      'sub/notes.md': '',
      'dist/out.js': '',
      'private/diary.txt': '',
      '.git/config': '',
    });
    const found = await names({ root: tree.root });
    expect(found).toEqual(expect.arrayContaining(['keep.log', 'sub/notes.md', 'dist/out.js']));
    expect(found).not.toEqual(expect.arrayContaining(['other.log']));
    expect(found.filter((path) => path.startsWith('private') || path.startsWith('.git/'))).toEqual([]);
  });

  test('a nested rule brings back a directory that an outer rule left out', async () => {
    using tree = createTree({ '.gitignore': 'out\n', 'a/.gitignore': '!out\n', 'a/out/x.ts': '', 'b/out/y.ts': '' });
    const found = await names({ root: tree.root });
    expect(found).toContain('a/out/x.ts');
    expect(found).not.toContain('b/out/y.ts');
  });

  test('a rule file with millions of characters is not read', async () => {
    using tree = createTree({ '.gitignore': `a.ts\n${'#'.repeat(2 * 1024 * 1024)}`, 'a.ts': '' });
    expect(await names({ root: tree.root })).toContain('a.ts');
  });

  test('a rule that is longer than any path does not count, and the others do', async () => {
    using tree = createTree({ '.gitignore': `[${'a'.repeat(5000)}].ts\nb.ts\n`, 'a.ts': '', 'b.ts': '' });
    expect(await names({ root: tree.root })).toEqual(['.gitignore', 'a.ts']);
  });

  test('the last line of a rule file counts without a line end, also after a carriage return', async () => {
    using tree = createTree({ '.gitignore': 'a.ts  \r\nb.ts\r', 'a.ts': '', 'b.ts': '', 'c.ts': '' });
    expect(await names({ root: tree.root })).toEqual(['.gitignore', 'c.ts']);
  });

  test('an ignored directory is not entered', async () => {
    using tree = createTree({ '.gitignore': 'secret/\n', 'secret/.gitignore': '!*\n', 'secret/a/b.ts': '' });
    const { paths, report } = await exhaust({ root: tree.root, maxDepth: 1 });
    expect(paths).toEqual(['.gitignore']);
    expect(report.tooDeep).toBe(0);
  });

  test('in a worktree, the exclude file of the repository applies', async () => {
    using tree = createTree({
      'repo/.git/info/exclude': '*.tmp\n',
      'repo/.git/worktrees/w/commondir': '../..\n',
      'w/.git': '',
      'w/a.tmp': '',
      'w/b.ts': '',
    });
    writeFileSync(join(tree.root, 'w/.git'), `gitdir: ${join(tree.root, 'repo/.git/worktrees/w')}\n`);
    expect(await names({ root: join(tree.root, 'w') })).toEqual(['b.ts']);
  });

  test('globs without a slash are matched against names, others against paths', async () => {
    using tree = createTree({ 'a.ts': '', 'lib/b.ts': '', 'lib/c.md': '', 'test/d.ts': '', '.e.ts': '' });
    expect(await names({ root: tree.root, includePatterns: ['*.ts'] })).toEqual([
      '.e.ts',
      'a.ts',
      'lib/b.ts',
      'test/d.ts',
    ]);
    expect(await names({ root: tree.root, includePatterns: ['lib/*'] })).toEqual(['lib/b.ts', 'lib/c.md']);
    expect(await names({ root: tree.root, includePatterns: ['*.ts'], excludePatterns: ['lib/', 'test/**'] })).toEqual([
      '.e.ts',
      'a.ts',
    ]);
  });

  test('a bad glob is a warning, and without a valid one everything is included', async () => {
    using tree = createTree({ 'a.ts': '', 'b.md': '' });
    const bad = await exhaust({ root: tree.root, includePatterns: ['[a'], excludePatterns: ['', 'x'.repeat(70_000)] });
    expect(bad.paths.toSorted()).toEqual(['a.ts', 'b.md']);
    expect(bad.report.warnings).toHaveLength(3);
    expect(bad.report.warnings[0]).toContain('"[a"');

    const mixed = await exhaust({ root: tree.root, includePatterns: ['[a', '*.md'] });
    expect(mixed.paths).toEqual(['b.md']);
  });

  test('symbolic links are counted, neither listed nor followed, so a circle ends', async () => {
    using tree = createTree({ 'a/x.ts': '' });
    symlinkSync('..', join(tree.root, 'a', 'up'));
    symlinkSync('/etc/hostname', join(tree.root, 'host'));
    const { paths, report } = await exhaust({ root: tree.root });
    expect(paths.toSorted()).toEqual(['a', 'a/x.ts']);
    expect(report.links).toBe(2);
  });

  test('a .gitignore that is a link is not read, as git does', async () => {
    using tree = createTree({ 'rules/mine': 'a.ts\n', 'a.ts': '' });
    symlinkSync('rules/mine', join(tree.root, '.gitignore'));
    expect(await names({ root: tree.root })).toContain('a.ts');
  });

  test('a directory without permission is skipped and counted', () => {
    using tree = createTree({ 'open/a.ts': '', 'shut/b.ts': '' });
    chmodSync(tree.root, 0o755);
    chmodSync(join(tree.root, 'shut'), 0o000);
    const script = `
      const { discover } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../lib/discovery/index.ts')).href)});
      const found = discover({ root: ${JSON.stringify(tree.root)} });
      const paths = [];
      for await (const entry of found) paths.push(entry.relativePath);
      console.log(JSON.stringify({ paths: paths.sort(), report: found.report }));`;
    // Root may read everything: there, another user looks.
    const isRoot = process.getuid?.() === 0;
    const child = spawnSync(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
      encoding: 'utf8',
      ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
    });
    expect(child.stderr).toBe('');
    const { paths, report } = JSON.parse(child.stdout);
    expect(paths).toEqual(['open', 'open/a.ts', 'shut'].sort());
    expect(report).toMatchObject({ unreadable: 1, unreadablePaths: ['shut'] });
  });

  test('a name that is not UTF-8 is counted as unreadable', async () => {
    using tree = createTree({ 'a.ts': '' });
    const bad = Buffer.concat([Buffer.from(`${tree.root}/`), Buffer.from([0x66, 0xff])]);
    writeFileSync(bad, '');
    mkdirSync(Buffer.concat([bad, Buffer.from('d')]));
    const { paths, report } = await exhaust({ root: tree.root });
    expect(paths).toEqual(['a.ts']);
    expect(report.unreadable).toBe(2);
    const found = discover({ root: tree.root });
    const names = [];
    for await (const some of found.names()) names.push(...some);
    expect(names).toEqual([{ relativePath: 'a.ts', type: 'file' }]);
    expect(found.report.unreadable).toBe(2);
  });

  test.each([
    ['nothing there', 'nope', 'does not exist'],
    ['a file', 'a.ts', 'is not a directory'],
  ])('a root that is %s is an error', async (_title, path, reason) => {
    using tree = createTree({ 'a.ts': '' });
    await expect(discoverAll({ root: join(tree.root, path) })).rejects.toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringContaining(reason),
    });
  });

  test('an abort ends discovery with the reason of the signal', async () => {
    using tree = createTree(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`d${index}/f`, ''])));
    const stop = new AbortController();
    let seen = 0;
    await expect(async () => {
      for await (const _ of discover({ root: tree.root, signal: stop.signal })) if (++seen === 3) stop.abort('enough');
    }).rejects.toBe('enough');
    expect(seen).toBe(3);
  });

  test('a tree with more entries than the buffer is read to its end', async () => {
    using tree = createTree();
    for (let directory = 0; directory < 12; directory++) {
      mkdirSync(join(tree.root, `d${directory}`));
      for (let file = 0; file < 500; file++) writeFileSync(join(tree.root, `d${directory}`, `f${file}`), '');
    }
    let count = 0;
    for await (const _ of discover({ root: tree.root })) count += 1;
    expect(count).toBe(12 + 12 * 500);
  });

  test('a large directory is returned in pieces', async () => {
    using tree = createTree(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, ''])));
    const sizes: number[] = [];
    for await (const names of discover({ root: tree.root }).names()) sizes.push(names.length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(300);
  });

  test('names returns the names of all entries', async () => {
    using tree = createTree({ '.gitignore': 'out\n', 'a/b/c.ts': '', 'a/d.ts': '', 'out/e.ts': '', 'dist/f.js': '' });
    symlinkSync('d.ts', join(tree.root, 'a', 'link'));
    const found = discover(tree);
    const names: FoundName[] = [];
    for await (const some of found.names()) names.push(...some);
    expect(found.report).toMatchObject({ links: 1, builtin: 1, builtinNames: ['dist'] });
    expect(sorted(names)).toEqual((await discoverAll(tree)).map(({ relativePath, type }) => ({ relativePath, type })));
  });

  test('entries nearest to the root come first', async () => {
    using tree = createTree({ 'z.ts': '', 'a/b/c.ts': '', 'a/d.ts': '', 'b.ts': '' });
    expect((await exhaust(tree)).paths).toEqual(['a', 'b.ts', 'z.ts', 'a/b', 'a/d.ts', 'a/b/c.ts']);
  });

  test('the program continues during a walk, even if the reader of the names keeps it busy', async () => {
    using tree = createTree(
      Object.fromEntries(Array.from({ length: 2560 }, (_, index) => [`d${index % 10}/${index}`, ''])),
    );
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    for await (const _ of discover({ root: tree.root }).names()) {
      const until = performance.now() + 20;
      while (performance.now() < until);
    }
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  test('Feature: services-sessions, Property 23: entries below maxDepth are not found, and all others are', async () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 6 }), fc.nat(5), async (directories, maxDepth) => {
        using tree = createTree(Object.fromEntries(directories.map((parts) => [[...parts, 'file.ts'].join('/'), ''])));
        const expected = directories
          .filter((parts) => parts.length <= maxDepth)
          .map((parts) => [...parts, 'file.ts'].join('/'));
        const found = await names({ root: tree.root, maxDepth, includePatterns: ['*.ts'] });
        expect(found).toEqual([...new Set(expected)].sort());
      }),
      { numRuns: 100 },
    );
  });
});
