import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, parseLines } from '../../support/cli.ts';
import { createTree, type Tree } from '../../support/tree.ts';

let home: Home;
let project: Tree;
const run = (args: readonly string[], env: Record<string, string> = {}) => home.here(args, { cwd: project.root, env });

beforeEach(() => {
  home = createHome();
  project = createTree({
    '.git/HEAD': '',
    '.gitignore': '*.log\n',
    'b.md': '',
    'a/1/2.ts': 'xx',
    'a/c.log': '',
    'dist/x': '',
  });
  symlinkSync('a', join(project.root, 'link'));
  symlinkSync('/etc/hostname', join(project.root, 'outside'));
});
afterEach(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

describe('ollm files', () => {
  it('prints the paths in order, and a summary of skipped files on standard error', async () => {
    const { stdout, stderr, exitCode } = await run(['files']);
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: '.gitignore\na/1/2.ts\nb.md\n',
      stderr: '3 files; left out: 1 directory named dist, 2 symbolic links.\n',
      exitCode: 0,
    });
  });

  it('takes a root, a depth and any number of globs', async () => {
    expect((await run(['files', 'a', '--quiet'])).stdout).toBe('1/2.ts\n');
    const shallow = await run(['files', '--depth', '1']);
    expect(shallow).toMatchObject({
      stdout: '.gitignore\nb.md\n',
      stderr: expect.stringContaining('1 directory too deep'),
    });
    const globs = ['--include', '*.md', '--include', '*.ts', '--exclude', 'b.*', '--exclude', 'x'];
    expect((await run(['files', ...globs, '--quiet'])).stdout).toBe('a/1/2.ts\n');
  });

  it('prints one object a line with --json', async () => {
    const { stdout } = await run(['files', '--json', '--include', '*.ts', 'a']);
    expect(parseLines(stdout)).toEqual([
      {
        path: join(project.root, 'a/1/2.ts'),
        relativePath: '1/2.ts',
        type: 'file',
        size: 2,
        modified: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it("follows the settings and git's excludes file", async () => {
    const settings = {
      OLLM_SERVICES__FILE_DISCOVERY__FOLLOW_SYMLINKS: 'true',
      OLLM_SERVICES__FILE_DISCOVERY__BUILTIN_IGNORES: '1',
    };
    writeFileSync(join(home.path, 'excludes'), '*.md\n');
    writeFileSync(join(home.path, '.gitconfig'), `[core]\n\texcludesFile = ${join(home.path, 'excludes')}\n`);
    const { stdout, stderr } = await run(['files'], settings);
    expect(stdout).toBe('.gitignore\ndist/x\n');
    expect(stderr).toContain('1 symbolic link (1 to outside)');
    const { stdout: flat } = await run(['files', '-q'], { OLLM_SERVICES__FILE_DISCOVERY__MAX_DEPTH: '0' });
    expect(flat).toBe('.gitignore\n');
  });

  it('warns of an unusable glob, and reports a directory that does not exist', async () => {
    expect((await run(['files', '--include', '[a'])).stderr).toMatch(/^warning: The include pattern "\[a"/);
    expect(await run(['files', 'nowhere'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('does not exist'),
    });
    expect(await run(['files', '--watch', 'nowhere'])).toMatchObject({ exitCode: 1 });
    expect(await run(['files', '--depth', 'x'])).toMatchObject({ exitCode: 2 });
  });

  it('--watch prints changes until it is interrupted', async () => {
    const child = home.start(['files', '--watch', '--exclude', '*.tmp'], { cwd: project.root });
    const said: string[] = [];
    const printed: string[] = [];
    child.stderr!.setEncoding('utf8').on('data', (text: string) => said.push(text));
    child.stdout!.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    while (!said.join('').includes('Watching')) await once(child.stderr!, 'data');
    project.write({ 'new.log': '', 'new.tmp': '', 'new.ts': '' });
    while (!printed.join('').includes('new.ts')) await once(child.stdout!, 'data');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect({ code, printed: printed.join('') }).toEqual({ code: 130, printed: 'add     new.ts\n' });
  });

  it('/files in the REPL lists the same files', async () => {
    const input = '/files *.ts\n/files\n';
    const { stdout, stderr } = await home.here(['repl', '--provider', 'offline'], { cwd: project.root, input });
    expect(stdout).toBe('a/1/2.ts\n.gitignore\na/1/2.ts\nb.md\n');
    expect(stderr).toContain('3 files in ');
  });
});

describe('ollm env', () => {
  const env = { MY_TOKEN: 'hidden-value', NOTE: `ghp_${'a1B2'.repeat(9)}`, EDITOR: 'vi', TWO: 'lines\nhere' };

  it('prints the environment of a tool, and no value that a tool would not see', async () => {
    const { stdout, stderr } = await run(['env'], env);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['EDITOR=vi', `HOME=${home.path}`, 'TWO=lines here']));
    expect(stdout + stderr).not.toMatch(/hidden-value|ghp_|MY_TOKEN/);
    expect(JSON.parse((await run(['env', '--json'], env)).stdout)).toMatchObject({ EDITOR: 'vi', TWO: 'lines\nhere' });
  });

  it('--explain names the rule for each variable, and no values', async () => {
    const { stdout } = await run(['env', '--explain'], env);
    expect(stdout).toMatch(/MY_TOKEN +goes +the deny pattern \*_TOKEN matches/);
    expect(stdout).toMatch(/EDITOR +stays +no deny pattern matches/);
    expect(stdout).not.toMatch(/hidden-value|ghp_a1|=vi/);
    const rows = JSON.parse((await run(['env', '--explain', '--json'], env)).stdout);
    expect(rows).toContainEqual({
      name: 'NOTE',
      keeps: false,
      because: 'its value looks like a secret (github-token)',
    });
  });

  it('follows the settings, and so does /env', async () => {
    const settings = {
      ...env,
      OLLM_SERVICES__ENVIRONMENT__ALLOW_LIST: 'MY_TOKEN',
      OLLM_SERVICES__ENVIRONMENT__DENY_PATTERNS: 'EDI*',
    };
    const seen = JSON.parse((await run(['env', '--json'], settings)).stdout);
    expect(seen).toMatchObject({ MY_TOKEN: 'hidden-value' });
    expect(seen).not.toHaveProperty('EDITOR');
    const repl = await home.here(['repl', '--provider', 'offline'], { env: settings, input: '/env\n' });
    expect(repl.stdout).toMatch(/Seen by tools, \d+ variables\n[\s\S]* {2}the allow list: HOME, MY_TOKEN, PATH\n/);
    expect(repl.stdout).toMatch(/Kept from tools, \d+ variables\n[\s\S]* {2}the deny pattern EDI\* matches: EDITOR\n/);
  });
});
