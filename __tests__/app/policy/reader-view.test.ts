// What a program that only reads can see, in the real sandbox: the project, the toolchain and a temporary directory.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { toolProgramsFor } from '../../../lib/app/policy/tool-sandbox.ts';
import { hardened } from '../../../lib/tools/builtin/git.ts';
import { confined, describeConfined } from '../../tools/program-world.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join('/var/tmp', 'ollm-home-')));
  project = join(home, 'work/project');
  git(['init', '-q', '-b', 'main', project], home);
  write({ 'work/project/a.txt': 'one\n' });
});
afterEach(() => rmSync(home, { recursive: true }));

function write(files: Readonly<Record<string, string>>, mode = 0o644): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content, { mode });
  }
}

function git(args: readonly string[], cwd = project): string {
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  const env = { PATH: process.env.PATH, HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8' });
}

interface Reading {
  readonly cwd?: string;
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A line for bash, as one runs that needs no question. */
const reads = (line: string, options: Reading = {}) => runs(['bash', '-c', line], options);

async function runs(
  argv: readonly [string, ...string[]],
  { cwd = project, settings = '', env = {} }: Reading = {},
): Promise<string> {
  const config = join(home, 'settings.yaml');
  writeFileSync(config, settings);
  const app = await createApp({
    env: { HOME: home, PATH: '/usr/bin:/bin', OLLM_PROVIDER: 'offline', ...env },
    cwd,
    command: 'ollm test',
    flags: { config },
  });
  const programs = await toolProgramsFor(app);
  const call = { argv, cwd, readsOnly: true } as const;
  const { output } = await programs.run(call, { signal: new AbortController().signal });
  return Buffer.from(output).toString();
}

describeConfined(`a program that only reads, ${confined}`, () => {
  it('a reading command finds files only in the project and in places that the user opened', async () => {
    const name = 'planted-for-readers';
    const places = [
      '',
      'work',
      'work/neighbour',
      '.config',
      '.config/git',
      '.ssh',
      '.local/share',
      'opened',
      'work/project/src',
    ];
    write(Object.fromEntries(places.map((place) => [join(place, name), 'planted\n'])));
    const temporary = mkdtempSync(join(tmpdir(), 'ollm-readers-'));
    writeFileSync(join(temporary, name), 'planted\n');
    try {
      const found = await reads(
        `find / \\( -path /proc -o -path /usr -o -path "/lib*" -o -path /bin -o -path /sbin -o -path /opt -o -path /nix \\) -prune -o -name ${name} -print`,
        {
          settings: `tools:\n  readable: [${join(home, 'opened')}]\n`,
        },
      );
      expect(found.split('\n').filter(Boolean).sort()).toEqual([
        join(home, 'opened', name),
        join(project, 'src', name),
      ]);
      const cats = places.map((place) => `cat ${join(home, place, name)} 2>/dev/null`);
      expect(
        await reads(`${cats.join(';')};ls ${home} ${join(home, 'work')} /home /root /var /etc 2>&1; true`),
      ).not.toMatch(/neighbour|opened\n|shadow|hostname/);
    } finally {
      rmSync(temporary, { recursive: true });
    }
  });

  it('a reading command writes only in a temporary directory of its own', async () => {
    const text = await reads(`touch b.txt ${home}/x /x /etc/x /usr/x 2>&1; echo y > /tmp/y && cat /tmp/y`);
    expect(text.match(/cannot touch/g)).toHaveLength(5);
    expect(text).toMatch(/\ny\n$/);
    expect(readdirSync(project).sort()).toEqual(['.git', 'a.txt']);
  });

  it('a reading command has the programs of PATH with their installation, and nothing else of the home around them', async () => {
    write(
      {
        '.nvm/versions/v24/bin/tool': '#!/bin/sh\ncat "$(dirname "$0")/../lib/words"\n',
        '.local/bin/own': '#!/bin/sh\necho own\n',
      },
      0o755,
    );
    write({
      '.nvm/versions/v24/lib/words': 'installed\n',
      '.local/share/diary': 'dear diary\n',
      '.local/lib/x': 'x\n',
    });
    write({ 'tools/bin/other': '#!/bin/sh\necho other\n' }, 0o755);
    write({ 'tools/lib/x': 'x\n', 'tools/.git/HEAD': 'x\n', 'tools/notes': 'notes of a project\n' });
    const PATH = ['.nvm/versions/v24/bin', '.local/bin', 'tools/bin'].map((each) => join(home, each)).join(':');
    const line = `tool; own; other; cat ${home}/.local/share/diary ${home}/tools/notes ${home}/.nvm/versions/v24/lib/words 2>/dev/null; true`;
    expect(await reads(line, { env: { PATH: `${PATH}:/usr/bin:/bin` } })).toBe('installed\nown\nother\ninstalled\n');
  });

  it('a reading command reads the repository of a worktree and of a submodule, whose files are outside', async () => {
    git(['add', '.']);
    git(['commit', '-qm', 'First']);
    git(['worktree', 'add', '-q', join(home, 'work/tree'), '-b', 'side']);
    write({ 'work/tree/b.txt': 'two\n' });
    const tree = join(home, 'work/tree');
    expect(await reads('git log --format=%s; git status --short', { cwd: tree })).toBe('First\n?? b.txt\n');
    expect(await reads(`cat ${project}/a.txt 2>&1; true`, { cwd: tree })).toMatch(/No such file/);
    const above = join(home, 'work/above');
    git(['init', '-q', above], home);
    git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', project, 'part'], above);
    expect(await reads('git log --format=%s', { cwd: join(above, 'part') })).toBe('First\n');
  });

  it('a reading command has the settings of the user for git, without the programs that they name', async () => {
    const marker = join(home, 'work/project/ran');
    write({ 'filter.sh': `#!/bin/sh\necho ran >&2\ntouch ${marker}\ncat\n` }, 0o755);
    write({
      '.gitconfig': `[user]\n\tname = Me Myself\n[safe]\n\tdirectory = /somewhere\n[core]\n\texcludesFile = ~/rules\n[filter "x"]\n\tclean = ${home}/filter.sh\n\trequired = true\n[alias]\n\tlog = !${home}/filter.sh\n[include]\n\tpath = more\n`,
      more: `[diff]\n\texternal = ${home}/filter.sh\n`,
      rules: '*.out\n',
      'work/project/b.out': 'x\n',
      'work/project/.gitattributes': '*.txt filter=x\n',
    });
    git(['add', 'a.txt', '.gitattributes']);
    git(['commit', '-qm', 'First']);
    write({ 'work/project/a.txt': 'two\n' });
    const text = await reads(
      'git config user.name; git config --get-all safe.directory; git status --short; git diff --stat; git log --format=%s',
    );
    expect(text).toBe(
      'Me Myself\n/somewhere\n M a.txt\n a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\nFirst\n',
    );
    expect(existsSync(marker)).toBe(false);
  });

  it('a reading command takes no repository and no program for git from the variables of the user', async () => {
    git(['add', '.']);
    git(['commit', '-qm', 'First']);
    const env = {
      GIT_DIR: '/nowhere',
      GIT_EXTERNAL_DIFF: 'echo ran',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_CONFIG_COUNT: '0',
    };
    write({ 'work/project/a.txt': 'two\n' });
    expect(await reads('git log --format=%s; git diff --name-only', { env })).toBe('First\na.txt\n');
    expect(await reads('git diff', { env })).toMatch(/^diff --git/);
  });

  it('git shows a reading command nothing of a file with keys that was ever committed, and not the hidden one as removed', async () => {
    write({ 'work/project/.env': 'DB_PASSWORD=battery\n', 'work/project/taxes/2025.txt': 'battery\n' });
    git(['add', '-f', '.']);
    git(['commit', '-qm', 'First']);
    const settings = `tools:\n  hidden: [${join(project, 'taxes')}]\n`;
    expect(await reads('git status --short; git diff', { settings })).toBe('');
    git(['rm', '-rq', '--cached', '.env', 'taxes']);
    git(['commit', '-qm', 'Second']);
    const lines = [
      'git log -p',
      'git diff HEAD~1',
      'git show HEAD',
      'timeout 9 git grep battery HEAD~1',
      'command git log -p',
    ];
    const text = await reads(lines.join('; '), { settings });
    expect(text).not.toContain('battery');
    expect(text.match(/^\+one$/gm)).toHaveLength(2);
    expect(text.match(/^ {4}Second$/gm)).toHaveLength(3);
    expect(await reads(`git show ${git(['rev-parse', 'HEAD~1:.env']).trim()}`, { settings })).toMatch(
      /its name is not known/,
    );
  });

  it('the tool for git shows the same, in a directory of the project too', async () => {
    write({ 'work/project/sub/.env': 'DB_PASSWORD=battery\n', 'work/project/sub/b.txt': 'two\n' });
    git(['add', '-f', '.']);
    git(['commit', '-qm', 'First']);
    const argv = ['git', ...hardened(['show', 'HEAD'])] as const;
    const text = await runs(argv, { cwd: join(project, 'sub') });
    expect(text).toMatch(/\+one\n[\s\S]*\+two\n/);
    expect(text).not.toContain('battery');
  });

  it('git shows a reading command a file that the user opened by its name', async () => {
    write({ 'work/project/.env.test': 'PORT=80\n' });
    git(['add', '-f', '.']);
    git(['commit', '-qm', 'First']);
    const settings = `tools:\n  readable: [${join(project, '.env.test')}]\n`;
    expect(await reads('git show HEAD', { settings })).toContain('+PORT=80');
    expect(await reads('git show HEAD')).not.toContain('+PORT=80');
  });

  it('a reading command finds no program of the project, with any PATH', async () => {
    write(
      { 'work/project/bin/ls': '#!/bin/sh\necho planted\n', 'work/project/bin/git': '#!/bin/sh\necho planted\n' },
      0o755,
    );
    symlinkSync(join(project, 'bin'), join(home, 'link'));
    const env = { PATH: `${join(project, 'bin')}:${join(home, 'link')}:/usr/bin:/bin` };
    expect(await reads('ls; git rev-parse --is-inside-work-tree', { env })).toBe('a.txt\nbin\ntrue\n');
  });

  it('a reading command runs if the user opened the whole disk, or its temporary directory', async () => {
    expect(await reads('cat /etc/hostname > /dev/null && ls', { settings: 'tools:\n  readable: [/]\n' })).toBe(
      'a.txt\n',
    );
    const settings = `tools:\n  readable: [/tmp, /var]\n`;
    expect(await reads('echo x > /tmp/x && cat /tmp/x && git rev-parse --is-inside-work-tree', { settings })).toBe(
      'x\ntrue\n',
    );
  });

  it('a reading command takes no start-up file for bash and none for ripgrep from the variables of the user', async () => {
    write({ 'work/project/start.sh': 'echo started\n' });
    const env = { BASH_ENV: join(project, 'start.sh'), RIPGREP_CONFIG_PATH: join(project, 'start.sh') };
    expect(await reads('echo "$BASH_ENV$RIPGREP_CONFIG_PATH"', { env })).toBe('\n');
  });
});
