// Every program that the configuration of a repository can name is planted in real repositories, and the commands that
// run unasked are run: none of them starts. A program that starts leaves a file.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitReach } from '../../lib/app/repository/git-reach.ts';
import { GIT_PROGRAM_KEYS } from '../../lib/environment/git-programs.ts';
import { PROGRAM_DEFAULTS, READING_DEFAULTS } from '../../lib/environment/program-defaults.ts';
import { nodeFileSystem } from '../../lib/platform/files/node-file-system.ts';
import { hardened } from '../../lib/tools/builtin/git.ts';
import { riskInGitConfiguration } from '../../lib/tools/git-configuration.ts';
import { isReadingGit } from '../../lib/tools/git-reading.ts';
import { createTree } from '../support/tree.ts';

/** A call at least of each subcommand that runs unasked. */
const CALLS: readonly (readonly string[])[] = [
  ['status'],
  ['log', '-p'],
  ['show', 'HEAD'],
  ['show', 'HEAD:a.txt'],
  ['diff'],
  ['diff', 'HEAD'],
  ['diff', '--cached'],
  ['rev-list', '--objects', 'HEAD'],
  ['rev-parse', 'HEAD'],
  ['ls-files', '-m'],
  ['ls-tree', 'HEAD'],
  ['merge-base', 'HEAD', 'HEAD'],
  ['name-rev', 'HEAD'],
  ['show-ref'],
  ['cat-file', '-p', 'HEAD:a.txt'],
  ['count-objects', '-v'],
  ['grep', 'changed'],
  ['grep', 'one', 'HEAD'],
  ['blame', 'a.txt'],
  ['shortlog', '-s', 'HEAD'],
  ['describe', '--all', '--dirty'],
  ['branch', '-vv'],
  ['tag', '-l', '-n'],
  ['remote', '-v'],
  ['stash', 'list'],
  ['reflog'],
  ['version'],
];

interface Planted extends Disposable {
  readonly root: string;
  /** The path of the planted program. */
  readonly program: string;
  hasRun(): boolean;
  git(args: readonly string[], env?: Readonly<Record<string, string>>): void;
}

/** A commit that is signed, a changed file of a kind for which attributes name drivers, and a hook of each name. */
function plantedRepository(): Planted {
  const tree = createTree({ 'project/a.txt': 'one\n' });
  const root = join(tree.root, 'project');
  const [marker, program] = [join(tree.root, 'ran'), join(tree.root, 'planted.sh')];
  writeFileSync(program, `#!/bin/sh\necho ran >> ${marker}\ncat\n`);
  chmodSync(program, 0o755);
  const env = { PATH: process.env.PATH ?? '', HOME: tree.root, GIT_CONFIG_NOSYSTEM: '1' };
  const run = (args: readonly string[], more = {}, input = '') =>
    spawnSync('git', args, { cwd: root, env: { ...env, ...more }, input, encoding: 'utf8' }).stdout;
  run(['init', '-q', '-b', 'main']);
  run(['add', '.']);
  run(['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'First']);
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n';
  const signed = run(['cat-file', 'commit', 'HEAD']).replace(/\n\n/, () => `\n${signature}\n`);
  run(['reset', '-q', run(['hash-object', '-t', 'commit', '-w', '--stdin'], {}, signed).trim()]);
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  for (const hook of [
    'post-index-change',
    'pre-commit',
    'post-checkout',
    'reference-transaction',
    'fsmonitor-watchman',
  ])
    writeFileSync(join(root, '.git/hooks', hook), readFileSync(program), { mode: 0o755 });
  writeFileSync(join(root, '.gitattributes'), '*.txt diff=odd filter=odd merge=odd\n');
  writeFileSync(join(root, 'a.txt'), 'changed\n');
  return {
    root,
    program,
    hasRun: () => existsSync(marker),
    git: (args, more) => void run(args, more),
    [Symbol.dispose]: () => tree[Symbol.dispose](),
  };
}

const READING_ENVIRONMENT = { ...PROGRAM_DEFAULTS, ...READING_DEFAULTS };

describe('the programs in the configuration of a repository', () => {
  it('do not run in any command that runs unasked, because they are switched off', () => {
    using planted = plantedRepository();
    for (const { key, off } of GIT_PROGRAM_KEYS) if (off !== undefined) planted.git(['config', key, planted.program]);
    planted.git(['config', 'log.showSignature', 'true']);
    for (const call of CALLS) {
      expect(isReadingGit(call)).toBe(true);
      planted.git(call, READING_ENVIRONMENT);
      planted.git(hardened(call));
      expect({ call, ran: planted.hasRun() }).toEqual({ call, ran: false });
    }
    planted.git(['status']);
    expect(planted.hasRun()).toBe(true);
  });

  it.each(GIT_PROGRAM_KEYS.filter(({ off }) => off === undefined))(
    'need approval if a repository, or one of its worktrees, sets $key',
    ({ key }) => {
      const [section, ...rest] = key.split('.');
      const name = rest.pop();
      const text = `[${section}${rest.length === 0 ? '' : ` "${rest.join('.')}"`}]\n\t${name} = ./planted.sh\n`;
      using tree = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': text });
      const reach = () => gitReach(nodeFileSystem, tree.root, { project: tree.root });
      expect(reach().risk).toMatch(/^its configuration sets /);
      writeFileSync(join(tree.root, '.git/config'), '[core]\n\tbare = false\n');
      expect(reach().risk).toBeUndefined();
      writeFileSync(join(tree.root, '.git/config.worktree'), text);
      expect(reach().risk).toMatch(/^its configuration sets /);
    },
  );

  it('do not run through any name of git’s own list that a repository may set', () => {
    using planted = plantedRepository();
    const names = execFileSync('git', ['help', '--config-for-completion'], { encoding: 'utf8' })
      .split('\n')
      .filter((name) => /^[\w.-]+\.[\w-]*\w$/.test(name))
      .filter((name) => {
        const [section, ...rest] = name.split('.');
        const last = rest.pop();
        const head = rest.length === 0 ? section : `${section} "${rest.join('.')}"`;
        return riskInGitConfiguration(`[${head}]\n${last} = x\n`) === undefined;
      });
    expect(names.length).toBeGreaterThan(100);
    const script = `program=$1; shift; for name; do git -c "$name=$program" diff HEAD; git -c "$name=$program" log -p -1; done`;
    const env = { PATH: process.env.PATH ?? '', HOME: planted.root, ...PROGRAM_DEFAULTS };
    const argv = ['-c', script, 'sh', planted.program];
    const harmless = names.filter((name) => !GIT_PROGRAM_KEYS.some(({ key }) => key === name));
    spawnSync('sh', [...argv, ...harmless], { cwd: planted.root, env });
    expect(planted.hasRun()).toBe(false);
    spawnSync('sh', [...argv, 'diff.external'], { cwd: planted.root, env });
    expect(planted.hasRun()).toBe(true);
  });
});
