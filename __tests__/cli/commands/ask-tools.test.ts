// `ollm ask` with tools, as a user and a script run it: real files, a sandbox where there is one.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { until } from '../../support/until.ts';

let home: Home;
let project: Tree;
const run = (...args: string[]) => home.here(args, { cwd: project.root });
const ask = (prompt: string, ...more: string[]) => run('ask', prompt, '--provider', 'offline', ...more);

beforeEach(() => {
  home = createHome();
  project = createTree({ 'notes.md': 'The port is 4711.\n', '.git/HEAD': 'ref: refs/heads/main\n' });
});
afterEach(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

describe('the search', () => {
  it('quotes no other session, even if sessions are stored inside the project', async () => {
    const env = { OLLM_HOME: join(project.root, 'state') };
    const question = ['ask', 'zanzibar', '--provider', 'offline'];
    await home.here([...question, '--name', 'first'], { cwd: project.root, env });
    const { stdout } = await home.here([...question, '--name', 'second'], { cwd: project.root, env });
    expect(stdout).toContain('Nothing found');
    expect(existsSync(join(project.root, 'state', 'session-data', 'first.jsonl'))).toBe(true);
  });
});

describe('ollm ask with a question that needs a tool', () => {
  it('prints an answer made from the result of the tool', async () => {
    const { exitCode, stdout } = await ask('file_read path=notes.md');
    expect(stdout).toContain('The port is 4711.');
    expect(exitCode).toBe(0);
  });

  it('with --json prints each step once it is stored, one event a line', async () => {
    const { stdout, exitCode } = await ask('file_read path=notes.md', '--json');
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type as string);
    expect(types.filter((type) => type.startsWith('tool.'))).toEqual([
      ...['tool.requested', 'tool.decided', 'tool.started', 'tool.finished'],
    ]);
    expect(types.at(-1)).toBe('turn.ended');
    expect(exitCode).toBe(0);
  });

  it('with --json closes the session and exits with 0 when the reader of its output has gone', async () => {
    const ollm = `"${process.execPath}" "${OLLM}" ask 'file_read path=notes.md' --provider offline --name gone --json`;
    const { status, stderr } = spawnSync('bash', ['-c', `${ollm} | head -1; exit \${PIPESTATUS[0]}`], {
      cwd: project.root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse((await run('tail', 'gone', '-n', '1', '--json')).stdout)).toMatchObject({
      type: 'session.closed',
    });
  });

  it('does not run a tool that needs approval, exits with 7, and names the setting that allows it', async () => {
    const { exitCode, stderr } = await ask('file_write path=new.txt content=x');
    expect(existsSync(join(project.root, 'new.txt'))).toBe(false);
    expect(stderr).toMatch(/Not done, because this needs an answer at a terminal: file_write\. .*tools\.allow/);
    expect(exitCode).toBe(7);
  });

  it('runs the tool if a rule allows it', async () => {
    project.write({ 'config.yaml': 'tools:\n  allow: ["file_write(new.txt)"]\n' });
    const { exitCode } = await run(
      ...['--config', 'config.yaml', 'ask', '--provider', 'offline', 'file_write path=new.txt content=x'],
    );
    expect(readFileSync(join(project.root, 'new.txt'), 'utf8')).toBe('x');
    expect(exitCode).toBe(0);
  });

  it('offers the model only the tools that --tools names, or none', async () => {
    const named = ['--tool', 'git', '--tool', 'file_read,bash', '--json'];
    expect((await ask('file_read path=notes.md', ...named)).stdout).toContain('tool.requested');
    expect((await ask('list_files', ...named)).stdout).not.toContain('tool.requested');
    const events = await ask('file_read path=notes.md', '--no-tools', '--json');
    expect(events.stdout).not.toContain('tool.requested');
    const unknown = await ask('Hi', '--tool', 'teleport');
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toMatch(/There is no tool teleport\..*file_read/s);
    expect(JSON.parse((await run('list', '--json')).stdout)).toHaveLength(3);
    expect((await ask('Hi', '--tool', 'git', '--no-tools')).exitCode).toBe(2);
  });

  it('is refused if it names a tool that the configuration switches off', async () => {
    const settings = { OLLM_TOOLS__DISABLED: 'bash' };
    const args = ['ask', 'bash ls', '--provider', 'offline'];
    const named = await home.here([...args, '--tool', 'bash'], { cwd: project.root, env: settings });
    expect(named.stderr).toContain('The configuration switches off bash: see tools.disabled.');
    const none = { OLLM_TOOLS__ENABLED: 'false' };
    const without = await home.here([...args, '--tool', 'git'], { cwd: project.root, env: none });
    expect(without.stderr).toContain('tools.enabled is false');
    expect([named.exitCode, without.exitCode]).toEqual([2, 2]);
    expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([]);
    // Who names none has the others; the search says that this one was not called.
    const { stdout } = await home.here(args, { cwd: project.root, env: settings });
    expect(stdout).toContain('`bash` was not called: it is switched off here');
  });
});

it('kill -9 while a tool runs: the next opening records an unknown result and does not repeat the call', async () => {
  const script = 'echo one >> log.txt; sleep 30';
  // A command is asked about, and here no user could answer; so a program of our own leads the turn.
  const program = new URL('../../app/killed-tool.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, home.path, project.root, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  for await (const chunk of child.stdout) if (String(chunk).includes('tool_started')) break;
  // The file is there before the line is.
  const log = join(project.root, 'log.txt');
  await until(() => existsSync(log) && readFileSync(log, 'utf8') === 'one\n');
  child.kill('SIGKILL');
  await exited;

  const { stderr, exitCode } = await ask('file_read path=notes.md', '--resume', 'killed');
  expect(stderr).toMatch(/tool call bash .* was running when the last run ended/);
  expect(exitCode).toBe(0);
  expect(readFileSync(log, 'utf8')).toBe('one\n');
  const { stdout } = await run('tail', 'killed', '--json', '--type', 'tool.finished', '-n', '50');
  const statuses = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).data.status as string);
  expect(statuses).toEqual(['unknown', 'ok']);
});
