import { symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProjectFiles, type ProjectFilesOptions } from '../../lib/discovery/index.ts';
import { createTree } from '../support/tree.ts';

const { signal } = new AbortController();

async function opened(options: ProjectFilesOptions) {
  const files = createProjectFiles(options);
  return { files, listing: await files.list({ signal }) };
}

test('project files are listed in the order of their paths, and can be read', async () => {
  using tree = createTree({ 'b.txt': 'bee', 'a/c.txt': 'sea', 'node_modules/x.js': '' });
  const { files, listing } = await opened({ root: tree.root });
  expect(listing).toEqual({ paths: ['a/c.txt', 'b.txt'], isCut: false });
  expect(await files.read('b.txt')).toEqual({ path: 'b.txt', text: 'bee' });
  expect(await files.read('../etc/passwd')).toEqual({ path: '../etc/passwd', skipped: 'unreadable' });
});

test("project files do not include ollm's own, and none of a skipped path", async () => {
  using tree = createTree({
    'a.txt': '',
    '.ollm/x.jsonl': '',
    'sub/.ollm/y.jsonl': '',
    'state/z.jsonl': '',
    'state.txt': '',
  });
  const { listing } = await opened({ root: tree.root, without: [join(tree.root, 'state')] });
  expect(listing.paths).toEqual(['a.txt', 'state.txt']);
});

test('project files are listed up to a number, and up to a number of bytes', async () => {
  using tree = createTree({ a: 'x'.repeat(60), b: 'x'.repeat(60), c: 'x'.repeat(60) });
  expect((await opened({ root: tree.root, maxFiles: 2 })).listing).toMatchObject({ isCut: true, paths: { length: 2 } });
  expect((await opened({ root: tree.root, maxListedBytes: 100 })).listing).toMatchObject({
    isCut: true,
    paths: { length: 1 },
  });
  expect((await opened({ root: tree.root, maxFiles: 3 })).listing.isCut).toBe(false);
});

test('a text is read again only if its file has changed', async () => {
  using tree = createTree({ 'a.txt': 'one' });
  const path = join(tree.root, 'a.txt');
  const time = new Date(2026, 0, 1);
  utimesSync(path, time, time);
  const { files } = await opened({ root: tree.root });
  await files.read('a.txt');

  writeFileSync(path, 'two');
  utimesSync(path, time, time);
  await files.list({ signal });
  expect(await files.read('a.txt')).toMatchObject({ text: 'one' });

  utimesSync(path, time, new Date(2026, 0, 2));
  await files.list({ signal });
  expect(await files.read('a.txt')).toMatchObject({ text: 'two' });
});

test('texts are forgotten when too many are in memory', async () => {
  using tree = createTree({ 'a.txt': 'one', 'b.txt': 'x'.repeat(100) });
  const path = join(tree.root, 'a.txt');
  const time = new Date(2026, 0, 1);
  utimesSync(path, time, time);
  const { files } = await opened({ root: tree.root, maxKeptCharacters: 50 });
  await files.read('a.txt');
  await files.read('b.txt');
  writeFileSync(path, 'two');
  utimesSync(path, time, time);
  await files.list({ signal });
  expect(await files.read('a.txt')).toMatchObject({ text: 'two' });
});

test('a file that became a link after it was listed is not opened', async () => {
  using tree = createTree({ 'a.txt': 'one', 'outside.txt': 'other' });
  const { files } = await opened({ root: tree.root });
  unlinkSync(join(tree.root, 'a.txt'));
  symlinkSync('outside.txt', join(tree.root, 'a.txt'));
  expect(await files.read('a.txt')).toEqual({ path: 'a.txt', skipped: 'unreadable' });
});

test.each([
  ['.env', true],
  ['.env.production', true],
  ['.env.example', false],
  ['deploy/id_ed25519', true],
  ['certs/server.pem', true],
  ['.npmrc', true],
  ['lib/key.ts', false],
  ['id_card.ts', false],
])('%s is treated as credentials: %s', async (name, isTaken) => {
  using tree = createTree({ [name]: 'x' });
  const { files } = await opened({ root: tree.root });
  expect('skipped' in (await files.read(name))).toBe(isTaken);
});

test('project files are read through links if they are followed, and no credentials under a different name', async () => {
  using outside = createTree({ 'diary.txt': 'dear' });
  using tree = createTree({ 'lib/a.txt': 'text', '.env': 'KEY=1' });
  symlinkSync('lib', join(tree.root, 'src'));
  symlinkSync('.env', join(tree.root, 'notes.txt'));
  symlinkSync('lib/a.txt', join(tree.root, 'b.txt'));
  const { files, listing } = await opened({ root: tree.root, followSymlinks: true });
  expect(listing.paths).toEqual(['.env', 'b.txt', 'lib/a.txt', 'notes.txt', 'src/a.txt']);
  expect(await files.read('b.txt')).toEqual({ path: 'b.txt', text: 'text' });
  expect(await files.read('src/a.txt')).toEqual({ path: 'src/a.txt', text: 'text' });
  expect(await files.read('notes.txt')).toEqual({ path: 'notes.txt', skipped: 'credentials' });

  unlinkSync(join(tree.root, 'src'));
  symlinkSync(outside.root, join(tree.root, 'src'));
  writeFileSync(join(outside.root, 'a.txt'), 'from outside');
  expect(await files.read('src/a.txt')).toEqual({ path: 'src/a.txt', skipped: 'unreadable' });
});

test('a second list includes files since the first', async () => {
  using tree = createTree({ 'a.txt': '', 'lib/b.txt': '' });
  const { files } = await opened({ root: tree.root });
  tree.write({ 'lib/c.txt': '' });
  expect((await files.list({ signal })).paths).toEqual(['a.txt', 'lib/b.txt', 'lib/c.txt']);
});
