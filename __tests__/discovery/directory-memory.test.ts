import type { Dirent } from 'node:fs';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createDirectoryMemory } from '../../lib/discovery/index.ts';
import { createTree } from '../support/tree.ts';

const SETTLED_MS = 150;

describe('a memory of directories', () => {
  test('gives the same entries while nothing came or went', async () => {
    using tree = createTree({ 'a.ts': '' });
    await pause(SETTLED_MS);
    const read = reader();
    const first = await read(tree.root);
    writeFileSync(join(tree.root, 'a.ts'), 'more');
    expect(await read(tree.root)).toBe(first);
  });

  test('reads a directory again in which something came, however soon', async () => {
    using tree = createTree({ 'a.ts': '' });
    const read = reader();
    for (let round = 0; round < 50; round++) {
      await read(tree.root);
      writeFileSync(join(tree.root, `f${round}`), '');
      expect((await read(tree.root)).map(({ name }) => name)).toContain(`f${round}`);
    }
  });

  test('reads another directory that takes the place of one', async () => {
    using tree = createTree({ 'one/a.ts': '', 'two/b.ts': '' });
    await pause(SETTLED_MS);
    const read = reader();
    await read(join(tree.root, 'one'));
    renameSync(join(tree.root, 'one'), join(tree.root, 'old'));
    renameSync(join(tree.root, 'two'), join(tree.root, 'one'));
    expect((await read(join(tree.root, 'one'))).map(({ name }) => name)).toEqual(['b.ts']);
  });

  test('remembers only so many directories', async () => {
    using tree = createTree();
    for (const name of ['a', 'b']) mkdirSync(join(tree.root, name));
    await pause(SETTLED_MS);
    const read = reader(1);
    const [a, b] = [join(tree.root, 'a'), join(tree.root, 'b')];
    const [firstA, firstB] = [await read(a), await read(b)];
    expect([(await read(a)) === firstA, (await read(b)) === firstB]).toEqual([true, false]);
  });

  test('says why a directory cannot be read', async () => {
    using tree = createTree();
    await expect(reader()(join(tree.root, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

function reader(maxDirectories?: number): (path: string) => Promise<readonly Dirent[]> {
  const memory = createDirectoryMemory(maxDirectories);
  return (path) =>
    new Promise((resolve, reject) => {
      memory.read(path, (error, entries) => (error ? reject(error) : resolve(entries)));
    });
}
