import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readSettingsFile, replaceSettingsFile } from '../../lib/agent-config/settings-file.ts';
import { nodeFileSystem } from '../../lib/platform/files/node-file-system.ts';
import { createTree, type Tree } from '../support/tree.ts';

let tree: Tree;
let outside: Tree;
beforeEach(() => {
  tree = createTree();
  outside = createTree({ 'settings.json': '{}' });
});
afterEach(() => {
  tree[Symbol.dispose]();
  outside[Symbol.dispose]();
});

const at = (name: string) => join(tree.root, name);
const rules = () => ({ home: tree.root, uid: process.getuid?.() });
const read = (name: string) => readSettingsFile(nodeFileSystem, at(name), rules());
const replace = (file: ReturnType<typeof read>, text: string) =>
  replaceSettingsFile(nodeFileSystem, file, { text, token: '1', ...rules() });

describe('a settings file of a foreign program', () => {
  it('is created, with its directory, readable by only the user', async () => {
    await replace(read('new/settings.json'), '{}');
    expect(readFileSync(at('new/settings.json'), 'utf8')).toBe('{}');
    expect(statSync(at('new/settings.json')).mode & 0o777).toBe(0o600);
  });

  it('keeps its permissions, and leaves no other file in its directory', async () => {
    tree.write({ 'dir/a.json': '{"a":1}' });
    chmodSync(at('dir/a.json'), 0o640);
    await replace(read('dir/a.json'), '{"a":2}');
    expect(readFileSync(at('dir/a.json'), 'utf8')).toBe('{"a":2}');
    expect(statSync(at('dir/a.json')).mode & 0o777).toBe(0o640);
    expect(readdirSync(at('dir'))).toEqual(['a.json']);
  });

  it('stays a link, and the target is replaced in its place', async () => {
    tree.write({ 'dotfiles/a.json': '{}' });
    symlinkSync(at('dotfiles/a.json'), at('a.json'));
    await replace(read('a.json'), '{"a":1}');
    expect(readFileSync(at('dotfiles/a.json'), 'utf8')).toBe('{"a":1}');
    expect(readdirSync(tree.root).sort()).toEqual(['a.json', 'dotfiles']);
  });

  it.each([
    ['a change of its text', () => writeFileSync(at('a.json'), '{"b":1}')],
    ['a link in its place', () => symlinkSync(at('b.json'), at('c.json'))],
  ])('is not replaced after %s by a foreign program', async (title, change) => {
    tree.write({ 'a.json': '{}', 'b.json': '{"b":1}' });
    const file = read(title.startsWith('a link') ? 'c.json' : 'a.json');
    change();
    await expect(replace(file, '{"a":1}')).rejects.toThrow('was changed by another program meanwhile');
    expect(readdirSync(tree.root).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(readFileSync(file.path, 'utf8')).toBe('{"b":1}');
  });

  it('is not replaced if it is read-only', async () => {
    tree.write({ 'a.json': '{}' });
    chmodSync(at('a.json'), 0o444);
    await expect(replace(read('a.json'), '{"a":1}')).rejects.toThrow('is read-only');
    expect(readFileSync(at('a.json'), 'utf8')).toBe('{}');
  });

  it.each([
    ['is not a regular file', () => mkdirSync(at('a.json'))],
    ['is a link that leads nowhere', () => symlinkSync(at('gone'), at('a.json'))],
    ['is outside of your home directory', () => symlinkSync(join(outside.root, 'settings.json'), at('a.json'))],
    [
      'has a second name',
      () => {
        tree.write({ 'a.json': '{}' });
        linkSync(at('a.json'), at('b.json'));
      },
    ],
    ['is not text in UTF-8', () => tree.write({ 'a.json': new Uint8Array([0x7b, 0xff, 0x7d]) })],
    ['is larger than 16 MiB', () => tree.write({ 'a.json': new Uint8Array(16 * 2 ** 20 + 1) })],
  ])('is refused if it %s', (reason, make) => {
    make();
    expect(() => read('a.json')).toThrow(reason);
  });
});
