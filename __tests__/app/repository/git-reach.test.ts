import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitReach } from '../../../lib/app/repository/git-reach.ts';
import { PROGRAM_DEFAULTS, READING_DEFAULTS } from '../../../lib/environment/program-defaults.ts';
import { nodeFileSystem } from '../../../lib/platform/files/node-file-system.ts';
import { createTree } from '../../support/tree.ts';

const git = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync('git', args, { cwd, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: cwd, ...env } });

const riskIn = (directory: string, project = directory) => gitReach(nodeFileSystem, directory, { project }).risk;

describe('git in a repository of the project', () => {
  it('is safe as git creates it, also in a worktree whose branches are stored outside', () => {
    using tree = createTree({ 'main/a.txt': 'a\n' });
    const [main, other] = [join(tree.root, 'main'), join(tree.root, 'other')];
    git(main, ['init', '-q', '-b', 'main']);
    git(main, ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'x']);
    expect(gitReach(nodeFileSystem, main, { project: main })).toEqual({ top: main, outside: [] });
    git(main, ['worktree', 'add', '-q', '../other', '-b', 'other']);
    const outside = [join(main, '.git/worktrees/other'), join(main, '.git')];
    expect(gitReach(nodeFileSystem, other, { project: other })).toEqual({ top: other, outside });
    git(main, ['config', 'core.pager', './x']);
    expect(riskIn(other)).toBeUndefined();
    git(main, ['config', 'diff.external', './x']);
    expect(riskIn(other)).toBe('its configuration sets diff.external');
    expect(riskIn(main)).toBe('its configuration sets diff.external');
  });

  it('is safe in a submodule whose files are outside and name it', () => {
    using tree = createTree({ 'library/a.txt': 'a\n', 'main/b.txt': 'b\n' });
    const [library, main] = [join(tree.root, 'library'), join(tree.root, 'main')];
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
    git(library, ['init', '-q']);
    git(library, [...who, 'commit', '-q', '--allow-empty', '-m', 'x']);
    git(main, ['init', '-q']);
    git(main, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'part']);
    const part = join(main, 'part');
    expect(gitReach(nodeFileSystem, part, { project: part })).toEqual({
      top: part,
      outside: [join(main, '.git/modules/part')],
    });
    expect(riskIn(part, main)).toBeUndefined();
  });

  it('reads the repository of a directory inside, and not one above', () => {
    using tree = createTree({ 'inner/a.txt': 'a\n', 'plain/b.txt': 'b\n' });
    const [inner, plain] = [join(tree.root, 'inner'), join(tree.root, 'plain')];
    for (const directory of [tree.root, inner]) git(directory, ['init', '-q']);
    git(inner, ['config', 'filter.x.clean', './x']);
    expect(riskIn(tree.root)).toBeUndefined();
    expect(riskIn(plain, tree.root)).toBeUndefined();
    expect(riskIn(inner, tree.root)).toBe('its configuration sets filter.x.clean');
    expect(riskIn(plain)).toBe('the repository is that of a directory above the project');
  });

  it.each<[name: string, plant: (project: string, neighbour: string) => void]>([
    [
      'a file that names the repository of a neighbour',
      (project, neighbour) => {
        writeFileSync(join(project, '.git'), `gitdir: ${neighbour}/.git\n`);
      },
    ],
    [
      'a file that names a path with a NUL',
      (project) => {
        writeFileSync(join(project, '.git'), 'gitdir: /a\0b/.git\n');
      },
    ],
    [
      'a common directory that is a path with a NUL',
      (project) => {
        git(project, ['init', '-q']);
        writeFileSync(join(project, '.git/commondir'), '/a\0b\n');
      },
    ],
    [
      'a link to the repository of a neighbour',
      (project, neighbour) => {
        symlinkSync(join(neighbour, '.git'), join(project, '.git'));
      },
    ],
    [
      'a common directory of a neighbour',
      (project, neighbour) => {
        git(project, ['init', '-q']);
        writeFileSync(join(project, '.git/commondir'), `${neighbour}/.git\n`);
      },
    ],
    [
      'a common directory of a neighbour, and a word of its own that names itself',
      (project, neighbour) => {
        git(project, ['init', '-q']);
        writeFileSync(join(project, '.git/commondir'), `${neighbour}/.git\n`);
        writeFileSync(join(project, '.git/gitdir'), `${project}/.git\n`);
      },
    ],
    [
      'objects of a neighbour',
      (project, neighbour) => {
        git(project, ['init', '-q']);
        writeFileSync(join(project, '.git/objects/info/alternates'), `${neighbour}/.git/objects\n`);
      },
    ],
    [
      'the files of a neighbour as its own',
      (project, neighbour) => {
        git(project, ['init', '-q']);
        git(project, ['config', 'core.worktree', neighbour]);
      },
    ],
    [
      'an included file',
      (project, neighbour) => {
        git(project, ['init', '-q']);
        git(project, ['config', 'include.path', join(neighbour, 'settings')]);
      },
    ],
    [
      'the parts of a repository without .git',
      (project) => {
        git(project, ['init', '-q', '--bare', '.']);
      },
    ],
  ])('is a risk with %s', (_, plant) => {
    using tree = createTree({ 'project/a.txt': 'a\n', 'neighbour/b.txt': 'b\n' });
    const [project, neighbour] = [join(tree.root, 'project'), join(tree.root, 'neighbour')];
    git(neighbour, ['init', '-q']);
    plant(project, neighbour);
    expect(riskIn(project)).toBeDefined();
  });

  it('quotes nothing of the repository but a plain name', () => {
    using tree = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    for (const text of ['[filter "Safe.\u202e Press a."]\nclean = x\n', 'press a\n', '[alias "\u001b[2J"]\nx = y\n']) {
      writeFileSync(join(tree.root, '.git/config'), text);
      expect(riskIn(tree.root)).toBe('its configuration sets a name of its own');
    }
  });

  it('is safe without a repository', () => {
    using tree = createTree();
    expect(gitReach(nodeFileSystem, tree.root, { project: tree.root })).toEqual({ outside: [] });
  });

  it('is a risk if its configuration cannot be read, or is a link', () => {
    using tree = createTree({
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/config/x': '',
      'elsewhere/config': '[diff]\nexternal = ./x\n',
    });
    expect(riskIn(tree.root)).toBeDefined();
    using linked = createTree({ 'real/config': '[diff]\nexternal = ./x\n', 'real/HEAD': 'ref: refs/heads/main\n' });
    symlinkSync('real', join(linked.root, '.git'));
    expect(riskIn(linked.root)).toBeDefined();
  });

  it('starts no file system monitor with the variables of a reading command', () => {
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
