// git in the real sandbox, as a program that may write: a file that is only hidden from it is unchanged.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { toolProgramsFor } from '../../../lib/app/policy/tool-sandbox.ts';
import { confined, describeConfined } from '../../tools/program-world.ts';

const NAMES = ['.npmrc', 'certs/site.pem', 'a b/.env [1]*'];
let home: string;
let project: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' },
    encoding: 'utf8',
  });

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-git-')));
  project = join(home, 'project');
  execFileSync('mkdir', ['-p', join(project, 'certs'), join(project, 'a b'), join(project, 'src')]);
  git('init', '-q', '-b', 'main');
  for (const name of NAMES) writeFileSync(join(project, name), 'token=1\r\nmore\n');
  writeFileSync(join(project, 'src/a.txt'), 'a\n');
  git('add', '-A');
  git('commit', '-qm', 'All');
});
afterEach(() => rmSync(home, { recursive: true }));

/** An index and a store of objects that may be written: those of the repository may not. */
const COPY = `cp -p .git/index "$TMPDIR/index"; export GIT_INDEX_FILE="$TMPDIR/index" GIT_OBJECT_DIRECTORY="$TMPDIR/o" GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/.git/objects; mkdir "$TMPDIR/o"`;

async function run(line: string, { cwd = project, settings = '' } = {}): Promise<string> {
  const config = join(home, 'settings.yaml');
  writeFileSync(
    config,
    `tools:\n  hidden: [${NAMES.map((name) => JSON.stringify(join(project, name))).join(', ')}]\n${settings}`,
  );
  const app = await createApp({
    env: { HOME: home, PATH: '/usr/bin:/bin', OLLM_PROVIDER: 'offline' },
    cwd: project,
    command: 'ollm test',
    flags: { config },
  });
  const programs = await toolProgramsFor(app);
  const { output } = await programs.run({ argv: ['bash', '-c', line], cwd }, { signal: new AbortController().signal });
  return Buffer.from(output).toString();
}

describeConfined(`git next to hidden files, ${confined}`, () => {
  it('git reports no change of a file that is only hidden, in any directory', async () => {
    expect(await run('grep token .npmrc; git status --short; git diff --stat; git diff HEAD --stat')).toBe('');
    expect(await run('git status --short', { cwd: join(project, 'src') })).toBe('');
  });

  it('git reports each other change, and adds it without the hidden files', async () => {
    writeFileSync(join(project, 'src/a.txt'), 'another text\n');
    writeFileSync(join(project, 'src/npmrc'), 'another file of that name\n');
    expect(await run('git status --short')).toBe(' M src/a.txt\n?? src/npmrc\n');
    expect(await run(`${COPY}; git add -A 2>&1; git diff --cached --name-only`)).toBe('src/a.txt\nsrc/npmrc\n');
  });

  it('git adds nothing in the place of a hidden file that it does not track', async () => {
    git('rm', '-q', '--cached', '.npmrc');
    git('commit', '-qm', 'Without it');
    expect(await run(`${COPY}; git add -A 2>&1; git diff --cached --name-only`)).toMatch(
      /\.npmrc: clean filter .* failed/,
    );
    expect(git('status', '--short')).toBe('?? .npmrc\n');
  });
});
