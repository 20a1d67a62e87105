import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findByName } from '../../lib/discovery/find-by-name.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ollm-names-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function plant(...paths: string[]) {
  for (const path of paths) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), '');
  }
}

async function find(limits = {}) {
  const search = { isWanted: (name: string) => name === '.env', passedBy: new Set(['node_modules']) };
  const { paths, isComplete } = await findByName(root, { ...search, maxEntries: 1000, maxFound: 100, ...limits });
  return { paths: paths.map((path) => relative(root, path)), isComplete };
}

it('a search by name includes ignored files, the nearest first, and skips dependencies', async () => {
  plant('.gitignore', 'a/b/.env', '.env', 'node_modules/x/.env', 'a/env');
  writeFileSync(join(root, '.gitignore'), '.env\n');
  expect(await find()).toEqual({ paths: ['.env', 'a/b/.env'], isComplete: true });
});

it('a search by name neither follows nor returns links, so that a circle ends', async () => {
  plant('a/.env');
  symlinkSync('..', join(root, 'a', 'up'));
  symlinkSync('/etc/passwd', join(root, '.env'));
  expect(await find()).toEqual({ paths: ['a/.env'], isComplete: true });
});

it('a search by name reports where it stopped', async () => {
  plant('.env', 'a/.env', 'b/.env');
  expect(await find({ maxFound: 2 })).toEqual({ paths: ['.env', 'a/.env'], isComplete: false });
  expect(await find({ maxEntries: 3 })).toEqual({ paths: ['.env'], isComplete: false });
  expect(
    await findByName(join(root, 'gone'), { isWanted: () => true, passedBy: new Set(), maxEntries: 1, maxFound: 1 }),
  ).toEqual({ paths: [], isComplete: true });
});
