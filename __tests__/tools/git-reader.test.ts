// In a repository that once had files with keys, the git reader shows none of their content: in every option of each
// subcommand that runs unasked, by every name. Everything else comes as from git itself.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { furtherGitSetting, PROGRAM_DEFAULTS, READING_DEFAULTS } from '../../lib/environment/program-defaults.ts';
import { gitReader, hidingAttributes } from '../../lib/tools/git-reader.ts';
import { isReadingGit, READING } from '../../lib/tools/git-reading.ts';
import { createTree } from '../support/tree.ts';

const SECRET = 'battery-staple';
const FILES = [
  '.env',
  'sub/prod.env',
  'sub/deep/.env.local',
  'server.KEY',
  'id_deploy',
  'vault/plain.txt',
  'odd [x]*.txt',
];

const tree = createTree({});
const root = join(tree.root, 'project');
const bin = join(tree.root, 'bin');
const path = process.env.PATH ?? '';
const plain = { PATH: path, HOME: tree.root, ...PROGRAM_DEFAULTS, GIT_CONFIG_NOSYSTEM: '1' };
let reading: Record<string, string>;

function git(args: readonly string[], env: Readonly<Record<string, string>> = plain, cwd = root): string {
  const who = env === plain ? ['-c', 'user.name=x', '-c', 'user.email=x@y'] : [];
  const { stdout, stderr } = spawnSync('git', [...who, ...args], { cwd, env, encoding: 'utf8' });
  return stdout + stderr;
}
const read = (...args: string[]) => git(args, reading);

beforeAll(() => {
  const write = (name: string, content: string) => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  for (const file of FILES) write(file, `${SECRET} of ${file}\n`);
  // A repository may not lift what hides its files.
  write('.gitattributes', '* diff text\n.env diff !ollm\n');
  write('a.txt', 'one\n');
  write('.env.example', 'an example\n');
  write('sub/b.txt', 'two\n');
  git(['init', '-q', '-b', 'main']);
  git(['add', '-f', '.']);
  git(['commit', '-qm', 'First']);
  git(['tag', '-a', 'v1', '-m', 'One']);
  for (const file of FILES) write(file, `${SECRET} again, of ${file}\n`);
  write('a.txt', 'three\n');
  git(['add', '-f', '.']);
  git(['commit', '-qm', 'Second']);
  git(['rm', '-q', '--cached', '-r', ...FILES.map((file) => `:(literal)${file}`)]);
  git(['commit', '-qm', 'Third']);
  git(['commit', '-q', '--allow-empty', '-m', 'Fourth']);
  git(['checkout', '-q', '-f', '-b', 'side', 'v1']);
  git(['commit', '-q', '--allow-empty', '-m', 'Side']);
  git(['checkout', '-q', 'main', '-f']);
  git(['merge', '-q', '--no-ff', '-m', 'Merge', 'side']);
  write('.env', `${SECRET} in the working tree\n`);
  write('a.txt', 'four\n');
  git(['add', '-f', '.env']);
  write('.env', `${SECRET} in the working tree, later\n`);

  mkdirSync(bin);
  const attribute = 'ollm-test';
  const file = gitReader({ attribute, path });
  writeFileSync(join(bin, 'git'), file.text);
  chmodSync(join(bin, 'git'), 0o755);
  const hidden = ['vault', 'odd [x]*.txt'];
  writeFileSync(join(tree.root, 'attributes'), hidingAttributes({ attribute, attributes: '', hidden, opened: [] }));
  const setting = furtherGitSetting('core.attributesFile', join(tree.root, 'attributes'));
  reading = { ...plain, ...READING_DEFAULTS, ...setting, ...file.variables(join(bin, 'git')) };
});
afterAll(() => tree[Symbol.dispose]());

describe('the git reader, which leaves out hidden files', () => {
  const calls = [
    ['log', '-p'],
    ['log', '-p', '-n', '9', '--', '.'],
    ['log', '-p', '--all', '--first-parent'],
    ['log', '-U3', 'v1..HEAD'],
    ['log', '--patch', 'HEAD', '--'],
    ['log', '-p', '-S', 'battery'],
    ['log', '-p', 'a.txt', '.env.example'],
    ['-c', 'core.pager=cat', 'log', '-p'],
    ['--no-pager', 'show', 'HEAD~2'],
    ['show', 'v1'],
    ['show', 'HEAD:a.txt', 'v1'],
    ['show', 'HEAD~2', '--', 'sub', '.'],
    ['diff'],
    ['diff', 'HEAD'],
    ['diff', '--cached'],
    ['diff', 'v1', 'HEAD'],
    ['diff', 'v1..HEAD~2'],
    ['diff', 'v1:sub', 'HEAD:sub'],
    ['grep', 'battery'],
    ['grep', '--cached', 'battery'],
    ['grep', '-a', '-e', 'battery', 'v1'],
    ['grep', 'battery', 'v1', 'HEAD~2', '--', '.'],
    ['grep', '-A', '2', 'battery', 'v1:sub'],
    ['status'],
  ];

  it.each(calls.map((args) => [args]))('shows no content of hidden files in git %j', (args) => {
    expect(isReadingGit(args[0] === '-c' ? args.slice(2) : args)).toBe(true);
    expect(read(...args)).not.toContain('battery-');
  });

  it('is needed: git itself shows the content in more than 15 of these calls', () => {
    expect(calls.filter((args) => git(args).includes(SECRET)).length).toBeGreaterThan(15);
  });

  it('shows no content of hidden files with any option that runs unasked', () => {
    const endings: Readonly<Record<string, readonly (readonly string[])[]>> = {
      log: [[], ['-p']],
      show: [['v1']],
      diff: [['v1']],
      grep: [['battery', 'v1'], []],
      status: [[]],
      stash: [['list']],
      reflog: [[]],
      branch: [[]],
      tag: [[]],
    };
    const unasked = Object.entries(endings).flatMap(([subcommand, all]) =>
      READING[subcommand]!.split(/\s+/)
        .map((option) =>
          option.endsWith('=') ? `${option}${/date|since|until|after|before/.test(option) ? '2001' : '1'}` : option,
        )
        .flatMap((option) => all.map((ending) => [subcommand, ...(option === '' ? [] : [option]), ...ending]))
        .filter((args) => isReadingGit(args)),
    );
    expect(unasked.length).toBeGreaterThan(250);
    const script = unasked
      .map((args) => `git ${args.map((arg) => `'${arg}'`).join(' ')} 2>&1; echo; echo END-OF-CALL`)
      .join('\n');
    const { stdout } = spawnSync('sh', ['-c', script], { cwd: root, env: reading, encoding: 'utf8', maxBuffer: 1e8 });
    const outputs = stdout.split('END-OF-CALL');
    expect(outputs.length).toBe(unasked.length + 1);
    expect(stdout).toContain('four');
    expect(unasked.filter((_, index) => outputs[index]!.includes('battery-'))).toEqual([]);
  });

  it('refuses the content of a hidden file by any name of its object, and others by their path only', () => {
    const secret = git(['rev-parse', 'v1:.env']).trim();
    const other = git(['rev-parse', 'v1:a.txt']).trim();
    git(['tag', 'key', secret]);
    for (const name of [secret, secret.slice(0, 8), `${secret}^{blob}`, 'key', 'key^{}'])
      for (const args of [
        ['show', name],
        ['cat-file', '-p', name],
        ['cat-file', 'blob', name],
        ['diff', name, other],
        ['diff', `${name}..${other}`],
        ['diff', `${other}...${name}`],
        ['diff', `${name}..HEAD:a.txt`],
        ['grep', 'battery', name],
        ['show', 'HEAD', name],
      ])
        expect({ args, text: read(...args) }).toEqual({
          args,
          text: expect.stringMatching(/^git: .* its name is not known here/),
        });
    git(['tag', '-d', 'key']);
    expect(read('show', 'v1:a.txt')).toBe('one\n');
    expect(read('cat-file', '-p', 'v1:a.txt')).toBe('one\n');
    expect(read('diff', 'v1:a.txt', 'HEAD:a.txt')).toContain('+three');
  });

  it('leaves out no commit, and nothing of other files', () => {
    const subjects = (text: string) => text.match(/^ {4}\w+$/gm);
    expect(subjects(read('log', '-p'))).toEqual(subjects(git(['log'])));
    expect(read('log', '--format=%s')).toBe(git(['log', '--format=%s']));
    expect(read('show', 'HEAD')).toMatch(/^commit /);
    expect(read('show', '-s', '--format=%s', 'HEAD~1')).toBe('Fourth\n');
    expect(read('log', '-p', 'v1')).toMatch(/\+one\n[\s\S]*\+two\n/);
    expect(read('log', '-p', 'v1')).toContain('+an example');
    expect(read('diff')).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n(?!.*\ndiff)/);
    expect(read('grep', '-h', 'four')).toBe('four\n');
    expect(read('grep', 'one', 'v1')).toBe('v1:a.txt:one\n');
    expect(read('status', '--short', '--untracked-files=no')).toBe(' M a.txt\n');
    expect(git(['grep', '-h', 'two'], reading, join(root, 'sub'))).toBe('two\n');
  });

  it('parses the words of a call as git does', () => {
    expect(read('log', '-L1,1:a.txt', '-s', '--format=%s')).toBe(git(['log', '-L1,1:a.txt', '-s', '--format=%s']));
    expect(read('log', '--', 'a.txt')).toBe(git(['log', '--', 'a.txt']));
    expect(read('log', '-p', '--', 'a.txt')).toBe(git(['log', '-p', '--', 'a.txt']));
    expect(read('log', '--follow', '--format=%s', 'a.txt')).toBe(git(['log', '--follow', '--format=%s', 'a.txt']));
    expect(read('blame', '-s', 'sub/b.txt')).toBe(git(['blame', '-s', 'sub/b.txt']));
    expect(read('log', '--author=a b', '-n', '1', '--format=%s', '--grep=x  y')).toBe('');
    expect(read('version')).toBe(git(['version']));
    expect(read()).toBe(git([]));
    expect(read('show', 'nope')).toMatch(/^fatal: /);
  });
});
