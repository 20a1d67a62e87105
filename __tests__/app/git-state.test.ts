import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gitMayStart } from '../../lib/app/git-state.ts';
import { PROGRAM_DEFAULTS, READING_DEFAULTS } from '../../lib/environment/program-defaults.ts';
import { nodeFileSystem } from '../../lib/platform/files/node-file-system.ts';
import { createTree } from '../support/tree.ts';

const git = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync('git', args, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: cwd, ...env } });

describe('git in a repository that names programs', () => {
  it('may start nothing as git makes it, also in a worktree beside it', () => {
    using tree = createTree({ 'main/a.txt': 'a\n' });
    const main = join(tree.root, 'main');
    git(main, ['init', '-q', '-b', 'main']);
    git(main, ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'x']);
    expect(gitMayStart(nodeFileSystem, main)).toBe(false);
    git(main, ['worktree', 'add', '-q', '../other', '-b', 'other']);
    expect(gitMayStart(nodeFileSystem, join(tree.root, 'other'))).toBe(false);
    git(main, ['config', 'core.pager', './x']);
    expect(gitMayStart(nodeFileSystem, join(tree.root, 'other'))).toBe(true);
    expect(gitMayStart(nodeFileSystem, main)).toBe(true);
  });

  it('may start nothing where there is no repository', () => {
    using tree = createTree();
    expect(gitMayStart(nodeFileSystem, tree.root)).toBe(false);
  });

  it('may where its configuration cannot be read, or is another file', () => {
    using tree = createTree({
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/config/x': '',
      'elsewhere/config': '[core]\nfsmonitor = ./x\n',
    });
    expect(gitMayStart(nodeFileSystem, tree.root)).toBe(true);
    using linked = createTree({ 'real/config': '[core]\nfsmonitor = ./x\n', 'real/HEAD': 'ref: refs/heads/main\n' });
    symlinkSync('real', join(linked.root, '.git'));
    expect(gitMayStart(nodeFileSystem, linked.root)).toBe(true);
  });

  it('starts no file system monitor with the variables of a program that only reads', () => {
    using tree = createTree({ 'a.txt': 'a\n', 'x.sh': '#!/bin/sh\ntouch "$PWD/started"\n' });
    git(tree.root, ['init', '-q']);
    git(tree.root, ['add', 'a.txt']);
    git(tree.root, ['config', 'core.fsmonitor', 'sh ./x.sh']);
    git(tree.root, ['status'], { ...PROGRAM_DEFAULTS, ...READING_DEFAULTS });
    expect(existsSync(join(tree.root, 'started'))).toBe(false);
    git(tree.root, ['status']);
    expect(existsSync(join(tree.root, 'started'))).toBe(true);
  });
});
