import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { hardened } from '../../../lib/tools/builtin/git.ts';
import { isReadingGit } from '../../../lib/tools/git-reading.ts';
import { createScene, type Scene } from './scene.ts';

function hasGit(): boolean {
  try {
    execFileSync('git', ['--version']);
    return true;
  } catch {
    return false;
  }
}
const describeWithGit = hasGit() ? describe : describe.skip;

/** As the user would. */
function git(scene: Scene, ...args: string[]): string {
  return gitWith('', scene, ...args);
}

function gitWith(input: string, scene: Scene, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: scene.outside, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: scene.root, env, input, encoding: 'utf8' });
}

function repository(): Scene {
  const scene = createScene({ files: { 'a.txt': 'one\n' } });
  git(scene, 'init', '-q', '-b', 'main');
  git(scene, 'config', 'user.email', 'me@example.com');
  git(scene, 'config', 'user.name', 'Me');
  git(scene, 'add', '.');
  git(scene, 'commit', '-qm', 'First');
  return scene;
}

describeWithGit('the git tool in a repository (skipped without git)', () => {
  test('answers, and its plan names the command', async () => {
    using scene = repository();
    scene.write({ 'b.txt': 'two\n' });
    const plan = await scene.plan('git', { args: ['status', '--short'] });
    expect(plan.action).toEqual({
      tool: 'git',
      summary: 'Run git status --short',
      isReadOnly: true,
      accesses: [{ kind: 'read', path: scene.root }],
      command: { kind: 'program', argv: ['git', 'status', '--short'], cwd: scene.root },
    });
    expect(Buffer.from((await scene.run(plan)).content as Uint8Array).toString()).toBe('?? b.txt\n');
  });

  test.each([
    [['log', '--oneline']],
    [['show', '--stat', 'HEAD']],
    [['diff']],
    [['blame', 'a.txt']],
    [['grep', '-n', 'one']],
    [['ls-files']],
    [['ls-tree', 'HEAD']],
    [['rev-parse', 'HEAD']],
    [['branch', '--list']],
    [['tag', '-l']],
    [['stash', 'list']],
    [['reflog']],
    [['describe', '--all']],
    [['shortlog', '-s', 'HEAD']],
    [['cat-file', '-p', 'HEAD']],
    [['count-objects', '-v']],
    [['merge-base', 'HEAD', 'HEAD']],
    [['rev-list', '--count', 'HEAD']],
    [['show-ref']],
    [['name-rev', 'HEAD']],
    [['remote', '-v']],
    [['version']],
  ])('%j is read-only, and git accepts it with the hardening options', async (args) => {
    using scene = repository();
    const plan = await scene.plan('git', { args });
    expect(plan.action.isReadOnly).toBe(true);
    expect((await scene.run(plan)).status).toBe('ok');
  });

  test('does not count commands that can change things as read-only', async () => {
    using scene = repository();
    scene.write({ 'b.txt': 'two\n' });
    const add = await scene.plan('git', { args: ['add', 'b.txt'] });
    expect(add.action.isReadOnly).toBe(false);
    await scene.run(add);
    await scene.call('git', { args: ['commit', '-m', 'Second "one"'] });
    expect(git(scene, 'log', '--format=%s')).toBe('Second "one"\nFirst\n');
  });

  test('starts no program that the repository’s configuration and attributes name', async () => {
    using scene = repository();
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n';
    const signed = git(scene, 'cat-file', 'commit', 'HEAD').replace(/\n\n/, () => `\n${signature}\n`);
    git(scene, 'reset', '-q', gitWith(signed, scene, 'hash-object', '-t', 'commit', '-w', '--stdin').trim());
    const planted = scene.at('planted.sh');
    writeFileSync(planted, `#!/bin/sh\necho ran >> ${scene.outside}/ran\ncat "$@" 2>/dev/null\n`);
    chmodSync(planted, 0o755);
    const settings = [
      'core.pager',
      'core.fsmonitor',
      'diff.external',
      'diff.odd.command',
      'diff.odd.textconv',
      'gpg.program',
      'core.sshCommand',
      'core.editor',
    ];
    for (const setting of settings) git(scene, 'config', setting, planted);
    git(scene, 'config', 'log.showSignature', 'true');
    git(scene, 'config', 'pager.log', 'true');
    for (const hook of ['pre-commit', 'post-commit', 'post-index-change', 'post-checkout']) {
      writeFileSync(scene.at(`.git/hooks/${hook}`), `#!/bin/sh\necho ran >> ${scene.outside}/ran\n`);
      chmodSync(scene.at(`.git/hooks/${hook}`), 0o755);
    }
    scene.write({ '.gitattributes': '*.txt diff=odd\n', 'a.txt': 'changed\n' });
    const calls = [
      ['status'],
      ['log', '-p'],
      ['show', 'HEAD'],
      ['diff'],
      ['diff', '--stat'],
      ['--no-pager', '-P', 'diff'],
      ['diff-files', '-p'],
      ['diff-index', '-p', 'HEAD'],
      ['diff-tree', '-p', '--root', 'HEAD'],
      ['whatchanged', '-p'],
      ['annotate', 'a.txt'],
      ['blame', 'a.txt'],
      ['grep', 'changed'],
      ['commit', '-am', 'Second'],
    ];
    for (const args of calls) expect(await scene.call('git', { args })).not.toContain('Exit code');
    expect(existsSync(`${scene.outside}/ran`)).toBe(false);
  });

  test('returns a failure with its message and its code', async () => {
    using scene = repository();
    expect(await scene.call('git', { args: ['show', 'nope'] })).toMatch(/^fatal: [\s\S]*\[Exit code 128\.\]$/);
  });

  test('lists paths outside the project among those to decide on', async () => {
    using scene = repository();
    const outside = async (...args: string[]) =>
      (await scene.plan('git', { args })).action.accesses.map(({ path }) => path).filter((path) => path !== scene.root);
    expect(await outside('diff', '/dev/null', '/etc/hostname')).toEqual(['/dev/null', '/etc/hostname']);
    expect(await outside('diff', '--', '../outside/x', 'a.txt')).toEqual([`${scene.outside}/x`]);
    expect(await outside('log', 'main..HEAD', '--', 'a.txt')).toEqual([]);
    expect(await outside('show', 'HEAD~1:../x')).toEqual([]);
  });
});

describe('git is read-only', () => {
  test.each([
    ['log', '-n', '3'],
    ['log', '-3', '--since=yesterday', '--', 'lib'],
    ['log', '-S', 'word'],
    ['log', '-Sword', '--format=%h %s'],
    ['diff', '--cached', '-U10'],
    ['show', 'HEAD:README.md'],
    ['blame', '-L', '1,20', 'a.txt'],
    ['blame', '-L1,20', 'a.txt'],
    ['branch'],
    ['branch', '--list', 'feature/*'],
    ['remote', 'get-url', 'origin'],
    ['stash', 'list'],
  ])('in git %s %s %s %s', (...args) => {
    expect(isReadingGit(args.filter((word) => word !== undefined))).toBe(true);
  });

  test.each([
    [[]],
    [['commit']],
    [['push', '--force']],
    [['-c', 'core.pager=sh -c id', 'log']],
    [['-C', '/etc', 'log']],
    [['--exec-path=/tmp', 'log']],
    [['log', '--output=x']],
    [['log', '--outp=x']],
    [['diff', '--ext-diff']],
    [['diff', '--textconv']],
    [['diff', '--no-index', 'a', 'b']],
    [['log', '--format=%G?']],
    [['log', '--pretty=%GS']],
    [['grep', '-O', 'x']],
    [['grep', '-Oless', 'x']],
    [['grep', '--open-files-in-pager=less', 'x']],
    [['branch', 'new']],
    [['branch', '-D', 'old']],
    [['branch', '-m', 'x']],
    [['tag', 'v1']],
    [['tag', '-d', 'v1']],
    [['remote', 'add', 'x', 'y']],
    [['remote', 'show', 'origin']],
    [['stash']],
    [['stash', 'pop']],
    [['reflog', 'expire', '--all']],
    [['config', '--list']],
    [['fetch']],
    [['cat-file', '--batch']],
    [['cat-file', '--textconv', 'HEAD:x']],
    [['rev-parse', '--git-dir=x']],
    [['constructor']],
    [['__proto__']],
    [['log', '--constructor=x']],
    [['ls-files', '--exclude-from=/etc/passwd']],
    [['blame', '--contents', '/etc/passwd', 'x']],
  ])('not in git %j', (args) => {
    expect(isReadingGit(args)).toBe(false);
  });

  test("and the options that keep it from starting programs come before the user's own", () => {
    const args = hardened(['log', '-p', '--textconv']);
    expect(args.slice(0, 4)).toEqual(['--no-pager', '--no-optional-locks', '-c', 'core.pager=cat']);
    expect(args.slice(args.indexOf('log'))).toEqual(['log', '--no-ext-diff', '--no-textconv', '-p', '--textconv']);
    expect(hardened(['commit', '-S', '-m', 'x'])).not.toContain('gpg.program=false');
  });
});

test.each<[args: unknown, words: RegExp]>([
  [[], /`args` must NOT have fewer than 1 items/],
  ['status', /`args` must be a list, not the string "status"/],
  [['git', 'status'], /^Leave out "git" itself/],
  [['log', 'a\0b'], /NUL character/],
  [['log', 'x'.repeat(200_000)], /too long/],
])('%j is refused with an explanation', async (args, words) => {
  using scene = createScene();
  expect(await scene.failure('git', { args })).toMatch(words);
});
