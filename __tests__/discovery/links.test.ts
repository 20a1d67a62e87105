import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { discover } from '../../lib/discovery/index.ts';
import { createTree, type Tree } from '../support/tree.ts';

async function followed({ root }: Tree, options: object = {}) {
  const found = discover({ root, followSymlinks: true, ...options });
  const files: string[] = [];
  for await (const entry of found) if (entry.type === 'file') files.push(entry.relativePath);
  return { files: files.sort(), report: found.report };
}

describe('symbolic links, when they are followed', () => {
  test('a link to a file and one to a directory are listed as their targets', async () => {
    using tree = createTree({ 'lib/a.ts': '12345', 'real.md': 'x' });
    symlinkSync('lib', join(tree.root, 'src'));
    symlinkSync('../real.md', join(tree.root, 'lib/notes.md'));
    const { files, report } = await followed(tree);
    expect(files).toEqual(['lib/a.ts', 'lib/notes.md', 'real.md', 'src/a.ts', 'src/notes.md']);
    expect(report).toMatchObject({ links: 0, linksOutside: 0, linkCircles: 0 });

    const notes = [];
    const found = discover({ root: tree.root, followSymlinks: true, includePatterns: ['notes.md'] });
    for await (const entry of found) notes.push(entry);
    const file = { size: 1, type: 'file' };
    expect(notes).toMatchObject([
      { ...file, relativePath: 'lib/notes.md' },
      { ...file, relativePath: 'src/notes.md' },
    ]);
  });

  test('the rules apply to the path of the link', async () => {
    using tree = createTree({ '.gitignore': 'src/\n*.log\n', 'lib/a.ts': '', 'lib/b.log': '' });
    symlinkSync('lib', join(tree.root, 'src'));
    symlinkSync('lib', join(tree.root, 'other'));
    expect((await followed(tree)).files).toEqual(['.gitignore', 'lib/a.ts', 'other/a.ts']);
  });

  test('a link out of the root or into .git is refused and counted', async () => {
    using outside = createTree({ 'secret.txt': '' });
    using tree = createTree({ 'a.ts': '', '.git/config': '' });
    symlinkSync(outside.root, join(tree.root, 'out'));
    symlinkSync(join(outside.root, 'secret.txt'), join(tree.root, 'secret.txt'));
    symlinkSync('.git/config', join(tree.root, 'config'));
    symlinkSync('out', join(tree.root, 'chain'));
    const { files, report } = await followed(tree);
    expect(files).toEqual(['a.ts']);
    expect(report).toMatchObject({ links: 4, linksOutside: 4 });
  });

  test('a directory whose name begins like the root is outside', async () => {
    using base = createTree({ 'root/a.ts': '', 'root-too/b.ts': '' });
    symlinkSync('../root-too', join(base.root, 'root/link'));
    const { files, report } = await followed({ ...base, root: join(base.root, 'root') });
    expect(files).toEqual(['a.ts']);
    expect(report.linksOutside).toBe(1);
  });

  test('a circle is broken, also over two links', async () => {
    using tree = createTree({ 'a/x.ts': '', 'b/y.ts': '' });
    symlinkSync('..', join(tree.root, 'a/up'));
    symlinkSync('../b', join(tree.root, 'a/to-b'));
    symlinkSync('../a', join(tree.root, 'b/to-a'));
    const { files, report } = await followed(tree);
    expect(files).toEqual(['a/to-b/y.ts', 'a/x.ts', 'b/to-a/x.ts', 'b/y.ts']);
    expect(report.linkCircles).toBe(report.links);
    expect(report.linkCircles).toBeGreaterThanOrEqual(3);
  });

  test('a dangling link and one to itself are counted', async () => {
    using tree = createTree({ 'a.ts': '' });
    symlinkSync('gone', join(tree.root, 'dead'));
    symlinkSync('self', join(tree.root, 'self'));
    const { files, report } = await followed(tree);
    expect(files).toEqual(['a.ts']);
    expect(report).toMatchObject({ links: 2, linksOutside: 0, linkCircles: 0 });
  });

  test('a root may be a link itself', async () => {
    using tree = createTree({ 'real/a.ts': '' });
    symlinkSync('real', join(tree.root, 'root'));
    expect((await followed({ ...tree, root: join(tree.root, 'root') })).files).toEqual(['a.ts']);
  });

  test('with any links, the walk ends, stays inside, and visits no directory twice on a path', async () => {
    const names = ['a', 'b', 'c'] as const;
    const place = fc.array(fc.constantFrom(...names), { maxLength: 2 });
    const link = fc.tuple(place, fc.constantFrom('l', 'm'), place);
    await fc.assert(
      fc.asyncProperty(fc.array(link, { maxLength: 6 }), async (links) => {
        using tree = createTree();
        for (const one of names) for (const two of names) mkdirSync(join(tree.root, one, two), { recursive: true });
        for (const [from, name, to] of links) {
          try {
            symlinkSync(join(tree.root, ...to), join(tree.root, ...from, name));
          } catch {
            // The name is taken.
          }
        }
        const directories: string[] = [];
        for await (const entry of discover({ root: tree.root, followSymlinks: true })) directories.push(entry.path);
        for (const path of directories) {
          const parts = path.slice(tree.root.length + 1).split('/');
          const real = parts.map((_, index) => realpathSync(join(tree.root, ...parts.slice(0, index + 1))));
          expect(new Set(real).size).toBe(real.length);
          for (const target of real) expect(target.startsWith(realpathSync(tree.root))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
