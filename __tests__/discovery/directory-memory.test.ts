import fs, { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { createDirectoryMemory, type DirectoryMemory } from '../../lib/discovery/directory-memory.ts';
import type { DiscoveryOptions } from '../../lib/discovery/types.ts';
import { discover } from '../../lib/discovery/walk.ts';
import { createFileDiscoveryService } from '../../lib/index.ts';
import { createTree } from '../support/tree.ts';

const SETTLED_MS = 150;

async function pathsIn(options: DiscoveryOptions, memory?: DirectoryMemory): Promise<string[]> {
  const paths: string[] = [];
  for await (const { relativePath, size } of discover(options, memory)) paths.push(`${relativePath} ${size}`);
  return paths.sort();
}

/** The directories that are read meanwhile. */
async function directoriesRead(work: () => Promise<unknown>): Promise<string[]> {
  const { readdir } = fs;
  const read: string[] = [];
  fs.readdir = ((path: string, ...rest: never[]) => {
    read.push(path);
    return (readdir as (...args: unknown[]) => void)(path, ...rest);
  }) as typeof readdir;
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.readdir = readdir;
    syncBuiltinESMExports();
  }
  return read.map((path) => path.replace(/\/$/, ''));
}

describe('a second walk of the discovery service', () => {
  it('reads only the directories in which an entry was added or removed', async () => {
    using tree = createTree(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`d${at}/sub/a.ts`, ''])));
    await pause(SETTLED_MS);
    const service = createFileDiscoveryService();
    const all = () => service.discoverAll({ root: tree.root });
    expect(await directoriesRead(all)).toHaveLength(201);
    expect(await directoriesRead(all)).toEqual([]);
    writeFileSync(join(tree.root, 'd7', 'sub', 'a.ts'), 'longer');
    tree.write({ 'd9/b.ts': '' });
    rmSync(join(tree.root, 'd11', 'sub', 'a.ts'));
    const found: string[] = [];
    const read = await directoriesRead(async () => {
      for (const { relativePath, size } of await all()) found.push(`${relativePath} ${size}`);
    });
    expect(read.sort()).toEqual([join(tree.root, 'd11', 'sub'), join(tree.root, 'd9')]);
    expect(found).toEqual(expect.arrayContaining(['d7/sub/a.ts 6', 'd9/b.ts 0']));
    expect(found).not.toContain('d11/sub/a.ts 0');
    service.dispose();
    expect(await directoriesRead(all)).toHaveLength(201);
  });
});

describe('a memory of directories', () => {
  it('gives the same answers after any creations, moves, removals and writes between two walks', async () => {
    const name = fc.constantFrom('a', 'b', 'c', '.gitignore');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const change = fc.record({ kind: fc.constantFrom('write', 'make', 'remove', 'move', 'touch'), path, to: path });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { minLength: 2, maxLength: 3 }), async (rounds) => {
        using tree = createTree({ 'a/a/a': '', 'b/b': '', 'c/a/.gitignore': 'b\n' });
        const memory = createDirectoryMemory({ now: Date.now, settledMs: 30 });
        for (const changes of rounds) {
          for (const each of changes) apply(tree.root, each);
          await pathsIn({ root: tree.root }, memory);
          // By then each directory is remembered, and read from memory.
          await pause(40);
          await pathsIn({ root: tree.root }, memory);
          expect(await pathsIn({ root: tree.root }, memory)).toEqual(await pathsIn({ root: tree.root }));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('reads a directory that replaced one with the same name', async () => {
    using tree = createTree({ 'one/a.ts': '', 'two/b.ts': '' });
    await pause(SETTLED_MS);
    const memory = createDirectoryMemory({ now: Date.now });
    await pathsIn({ root: tree.root }, memory);
    renameSync(join(tree.root, 'one'), join(tree.root, 'old'));
    renameSync(join(tree.root, 'two'), join(tree.root, 'one'));
    expect(await pathsIn({ root: tree.root }, memory)).toEqual(expect.arrayContaining(['old/a.ts 0', 'one/b.ts 0']));
  });

  it('has a limited number of entries', async () => {
    using tree = createTree({ 'a/1': '', 'a/2': '', 'b/1': '', 'b/2': '' });
    await pause(SETTLED_MS);
    const memory = createDirectoryMemory({ now: Date.now, mostEntries: 4 });
    await pathsIn({ root: tree.root }, memory);
    // The root and one of the others have two entries each.
    expect(await directoriesRead(() => pathsIn({ root: tree.root }, memory))).toHaveLength(1);
  });
});

interface Change {
  readonly kind: string;
  readonly path: string;
  readonly to: string;
}

/** A step that the file system refuses changes nothing. */
function apply(root: string, { kind, path, to }: Change): void {
  const at = join(root, path);
  try {
    if (kind === 'write') writeFileSync(at, kind + to);
    else if (kind === 'make') mkdirSync(at);
    else if (kind === 'remove') rmSync(at, { recursive: true });
    else if (kind === 'move') renameSync(at, join(root, to));
    else utimesSync(at, 1, 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}
