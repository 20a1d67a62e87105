// Attacks from a directory that was copied or cloned, against the built program: no user is there to be asked, so
// everything that ran would have run unasked.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM, parseLines } from '../../support/cli.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { confined, describeConfined } from '../../tools/program-world.ts';

let home: Home;
let project: Tree;

beforeEach(() => {
  home = createHome();
  project = createTree({ 'a.txt': 'one\n' });
});
afterEach(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

const inProject = (name: string) => join(project.root, name);
const settings = (text: string) => writeFileSync(join(home.path, 'config.yaml'), text);
const ask = (prompt: string, ...more: string[]) =>
  home.run(['ask', '--provider', 'offline', prompt, ...more], { cwd: project.root });

let runs = 0;

type Call = readonly [tool: string, args: object];

/** The decision on each of these calls, and how it ended. They are made in one session, a turn each. */
async function calls(wanted: readonly Call[]): Promise<readonly Record<string, unknown>[]> {
  runs += 1;
  const name = `calls-${runs}`;
  const input = wanted.map(([tool, args]) => `${tool} ${JSON.stringify(args)}\n`).join('');
  await home.run(['repl', '--provider', 'offline', '--name', name], { cwd: project.root, input });
  const events = parseLines(readFileSync(home.journal(name), 'utf8')) as unknown as readonly {
    readonly turn?: number;
    readonly type: string;
    readonly data: Record<string, unknown>;
  }[];
  return wanted.map((_, index) => {
    const ofCall = events.filter(
      ({ turn, type }) => turn === index + 1 && /^tool\.(started|decided|finished)$/.test(type),
    );
    return Object.assign({}, ...ofCall.map(({ data }) => data));
  });
}

/** Does the same for one call. */
async function call(...wanted: Call) {
  return (await calls([wanted]))[0]!;
}

/** A program that leaves a mark where it was started, if it can write there. */
function plantProgram(name: string): string {
  writeFileSync(inProject(name), `#!/bin/sh\ntouch '${inProject('marked')}' "$PWD/marked"\nexit 1\n`);
  chmodSync(inProject(name), 0o755);
  return inProject(name);
}

const git = (...args: string[]) =>
  spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project.root, encoding: 'utf8' });
const hasGit = spawnSync('git', ['--version']).status === 0;

describe('a policy that allows only echo, git status and ls', () => {
  const marks = ['marked', 'y', 'zz'];
  const hostile = [
    'echo x; touch y',
    'echo `touch y`',
    'echo x > y',
    'echo a\ntouch zz',
    "git -c core.pager='touch y' log",
    './git status',
    'PATH=. git status',
    'find . -exec touch y \\;',
    Array.from({ length: 60 }, () => 'true').join(' && '),
    'GIT_PAGER=./git ls',
    "echo 'x; touch y",
    'ls() { touch y; }; ls',
    'echo <(touch y)',
    'git status --upload-pack=x && touch y',
  ];

  it('runs no line that does more than one of these commands', async () => {
    settings('tools:\n  allow: ["bash(echo *)", "bash(git status)", "bash(ls *)"]\n');
    plantProgram('git');
    const ended = await calls(hostile.map((command) => ['bash', { command }]));
    expect(ended.map(({ decision, status }, index) => [hostile[index], decision, status])).toEqual(
      hostile.map((command) => [command, 'deny', 'denied']),
    );
    expect(readdirSync(project.root).filter((name) => marks.includes(name))).toEqual([]);
  });

  it('refuses a dangerous command as dangerous, and the journal says so', async () => {
    settings('tools:\n  allow: ["bash(rm *)"]\n');
    expect(await call('bash', { command: 'rm -rf a.txt' })).toMatchObject({
      decision: 'deny',
      rule: 'default:dangerous',
      dangerous: expect.stringMatching(/\S/),
    });
    expect(existsSync(inProject('a.txt'))).toBe(true);
  });
});

describeConfined(`a hostile repository, ${confined}`, () => {
  (hasGit ? it : it.skip)('has no program of its own change anything when git reads it unasked', async () => {
    git('init', '-q');
    writeFileSync(inProject('.gitattributes'), '* filter=x diff=x\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    const program = plantProgram('evil');
    for (const key of ['core.fsmonitor', 'core.pager', 'core.hooksPath']) git('config', key, program);
    writeFileSync(inProject('a.txt'), 'two\n');
    const readings = [['status'], ['diff'], ['log', '-p'], ['ls-files', '-m']];
    const all = [
      ...readings.map((args): Call => ['git', { args }]),
      ...readings.map((args): Call => ['bash', { command: `git ${args.join(' ')}` }]),
    ];
    expect(await calls(all)).toMatchObject(all.map(() => ({ decision: 'allow', network: false })));
    for (const key of ['filter.x.clean', 'filter.x.process', 'diff.x.textconv', 'diff.external'])
      git('config', key, program);
    // No value switches these variables off: they need approval, and no user is here.
    expect(await calls(all)).toMatchObject(all.map(() => ({ decision: 'deny', rule: 'default:command' })));
    expect(existsSync(inProject('marked'))).toBe(false);
    // It would have been started: outside of ollm it is.
    git('status');
    expect(existsSync(inProject('marked'))).toBe(true);
  });

  it('shows no program the keys that the policy hides', async () => {
    settings('tools:\n  allow: ["bash(grep *)"]\n');
    writeFileSync(inProject('.env'), 'KEY=battery\n');
    const found = await call('bash', { command: 'grep -r battery .' });
    expect(found).toMatchObject({ decision: 'allow' });
    expect(JSON.stringify(found)).not.toContain('KEY=battery');
    expect(await call('file_read', { path: '.env' })).toMatchObject({ decision: 'deny', rule: 'default:hidden' });
  });

  it.each(['.npmrc', '.pypirc', 'prod.env', 'credentials'])('hides %s from every tool alike', async (name) => {
    settings('tools:\n  allow: ["bash(grep *)"]\n');
    writeFileSync(inProject(name), 'battery\n');
    git('init', '-q');
    const [read, ...searches] = await calls([
      ['file_read', { path: name }],
      ['search_files', { query: 'battery' }],
      ['git', { args: ['grep', '--untracked', 'battery'] }],
      ['bash', { command: 'grep -rh batter[y] .' }],
    ]);
    expect(read).toMatchObject({ decision: 'deny', rule: 'default:hidden' });
    for (const found of searches) {
      expect(found).toMatchObject({ decision: 'allow' });
      expect(JSON.stringify(found)).not.toContain('battery\\n');
    }
  });

  it('keeps every program from the variables that ollm itself was started with', async () => {
    settings('tools:\n  allow: [bash]\n');
    expect(await call('bash', { command: 'cat /proc/$PPID/environ' })).toMatchObject({ rule: 'default:dangerous' });
    const command = 'find /proc -name environ -exec cat {} + | tr "\\0" "\\n"';
    const prompt = `bash ${JSON.stringify({ command })}`;
    const { stdout } = await home.run(['ask', '--provider', 'offline', prompt], {
      cwd: project.root,
      env: { DEPLOY_TOKEN: 'correct-horse' },
    });
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toMatch(/DEPLOY_TOKEN|correct-horse/);
  });
});

describe('files of a hostile directory', () => {
  it('do not become a prompt or instructions if they are keys under a different name', async () => {
    writeFileSync(inProject('.env'), 'KEY=battery\n');
    mkdirSync(inProject('.ollm'));
    writeFileSync(inProject('.ollm/config.yaml'), 'promptFile: .env\n');
    const { exitCode, stderr } = await ask('Hello', '--name', 'named');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('may hold keys');

    writeFileSync(inProject('.ollm/config.yaml'), '{}\n');
    symlinkSync('.env', inProject('AGENTS.md'));
    spawnSync('mkfifo', [inProject('README.md')]);
    symlinkSync('.', inProject('circle'));
    const run = await home.run(['repl', '--provider', 'offline', '--context', '--name', 'agents'], {
      cwd: project.root,
      input: 'file_read README.md\nfile_read circle/circle/.env\n',
    });
    expect(run.exitCode).toBe(0);
    const journal = readFileSync(home.journal('agents'), 'utf8');
    expect(journal).toContain('a link to what may hold keys');
    expect(journal).toContain('a socket or a pipe');
    expect(journal).not.toContain('KEY=battery');
  });

  it('are not taken for options by the programs that read them', async () => {
    for (const name of ['--upload-pack=touch y', '-exec', '--output=y']) writeFileSync(inProject(name), 'one\n');
    settings('tools:\n  allow: [search_files, file_read]\n');
    const [, ...ended] = await calls([
      ['search_files', { pattern: 'one' }],
      ['file_read', { path: '--output=y' }],
      ['git', { args: ['log', '--output=y'] }],
      ['git', { args: ['ls-remote', '--upload-pack=touch y', '.'] }],
    ]);
    expect(ended).toMatchObject([{ status: 'ok' }, { decision: 'deny' }, { decision: 'deny' }]);
    expect(existsSync(inProject('y'))).toBe(false);
  });

  it('that are named git are not started, even if PATH begins with the current directory', async () => {
    plantProgram('git');
    plantProgram('stty');
    const env = { PATH: `.:${project.root}:${process.env.PATH}`, OLLM_PROVIDER: 'offline' };
    const { stdout } = await home.run(['files'], { cwd: project.root, env });
    expect(stdout).toContain('a.txt');
    const run = await home.run(['repl', '--context'], { cwd: project.root, env, input: '/files\n' });
    expect(run.exitCode).toBe(0);
    expect(existsSync(inProject('marked'))).toBe(false);
  });

  it("that are named node are not started in place of ollm's own", async () => {
    const bin = inProject('node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), `#!/bin/sh\ntouch '${inProject('marked')}'\necho v24.0.0\n`);
    chmodSync(join(bin, 'node'), 0o755);
    expect(readFileSync(OLLM, 'utf8')).not.toContain('process.cwd()');
    // Where an older Node is there to be tried, it is.
    const older = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' }).stdout ?? '';
    if (/^v(?:1\d|2[0-3])\./.test(older)) {
      spawnSync('/usr/bin/node', [OLLM, '--version'], { cwd: project.root });
      expect(existsSync(inProject('marked'))).toBe(false);
    }
  });
});
