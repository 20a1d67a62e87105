// A program in the place of Qwen Code, in a mode in which it does not ask: it runs in the sandbox of this machine and
// tries to leave it. Then it is killed, or ollm is killed.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { createRunHome, type RunHome } from '../../runs/run-home.ts';
import { until } from '../../support/until.ts';
import { describeConfined } from '../../tools/program-world.ts';

/** The home of the user. It is not in /tmp, of which the agent has its own. */
let user: string;
let runs: RunHome;
beforeEach(() => {
  runs = createRunHome();
  user = realpathSync(mkdtempSync('/var/tmp/ollm-user-'));
  runs.trust([runs.project], { runs: { qwen: { mode: 'auto' } } });
});
afterEach(() => {
  for (const { type, data } of runs.events()) {
    if (type === 'run.started') expect(processesMarked(String(data.mark))).toEqual([]);
  }
  rmSync(user, { recursive: true });
  runs[Symbol.dispose]();
});

describeConfined('an agent that does not ask', () => {
  it('writes only in its workspace and its own state, and reads no keys', async () => {
    const { home, project } = runs;
    const own = (name: string) => put(join(user, name));
    const read = [own('notes.txt'), own('.ssh/id'), own('.claude/.credentials.json'), put(join(project, '.env'))];
    own('.qwen/settings.json');
    put(join(home.path, 'server', 'token'));
    const allowed = [join(project, 'made.txt'), join(user, '.qwen', 'state.json')];
    const denied = [
      ...[join(user, 'notes.txt'), join(user, '.bashrc'), join(user, '.qwen', 'settings.json')],
      ...[join(user, '.qwen', 'skills', 'mine'), join(user, '.claude.json')],
      ...[join(project, '.git', 'config'), join(project, '.claude', 'settings.json'), join(project, '.qwen', 'a')],
      ...[join(home.path, 'config.yaml'), join(home.sessions, 'x.jsonl'), '/etc/ollm-test'],
    ];
    const text = JSON.stringify({
      write: [...allowed, ...denied],
      read: [...read, join(home.path, 'server', 'token'), join(home.path, 'session-data/')],
    });
    const { exitCode, stdout, stderr } = await ask('tries-all', text);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('is confined: bubblewrap') });
    const found = JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.indexOf('}') + 1)) as Found;
    expect(found.write.slice(0, allowed.length)).toEqual(['done', 'done']);
    expect(found.write.slice(allowed.length)).not.toContain('done');
    for (const path of allowed) expect(readFileSync(path, 'utf8')).toBe('written by the agent');
    for (const path of denied) if (existsSync(path)) expect(readFileSync(path, 'utf8')).not.toContain('the agent');
    // The first may be read, as by a tool. The key in the project is seen as an empty file.
    expect(found.read).toEqual(['read', 'ENOENT', 'ENOENT', 'read', 'ENOENT', 'ENOENT']);
    expect(stdout).not.toContain('SECRET');
    // The processes of the sandbox, and the agent.
    expect(found.processes).toBeLessThan(6);
    const [started] = runs.events().filter(({ type }) => type === 'run.started');
    expect(started).toMatchObject({ data: { confined: 'bubblewrap', mode: 'auto', permissions: 'ask' } });
  });

  it('is refused with the setting to change if no sandbox confines it, or if everything is denied', async () => {
    runs.trust([runs.project], { runs: { qwen: { mode: 'auto' } }, tools: { sandbox: 'off' } });
    const refused = await askHere('none', 'hi');
    expect(refused).toMatchObject({
      exitCode: 7,
      stderr: expect.stringMatching(/tools.sandbox is off.*runs.qwen.mode/s),
    });
    runs.trust([runs.project], { runs: { qwen: { mode: 'auto' } } });
    expect(await askHere('none', 'hi', '--permissions', 'deny')).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining('nothing can be denied'),
    });
    runs.trust([runs.project], { runs: { qwen: { mode: 'autp' } } });
    expect(await askHere('none', 'hi')).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining('auto, default'),
    });
    expect(runs.journals()).toEqual([]);
  });

  it('ends with all its processes when ollm is killed', async () => {
    const child = start('leaves-a-child-and-tries-all-and-stays');
    await until(() => runs.events().some(({ type }) => type === 'run.status'));
    const mark = markOf(runs);
    expect(processesMarked(mark).length).toBeGreaterThan(2);
    child.kill('SIGKILL');
    await until(() => processesMarked(mark).length === 0);
  });

  it('is reported when it is killed, and leaves no process running', async () => {
    const child = start('leaves-a-child-and-tries-all-and-stays');
    await until(() => runs.events().some(({ type }) => type === 'run.status'));
    const inside = processesMarked(markOf(runs)).find((pid) => commandOf(pid).includes('strange-agent.ts'));
    process.kill(inside!, 'SIGKILL');
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(8);
    expect(runs.events().findLast(({ type }) => type === 'run.status')).toMatchObject({
      data: { from: 'running', to: 'failed', error: { code: 'AGENT_BROKEN_STREAM' } },
    });
    expect(runs.events().findLast(({ type }) => type === 'run.ended')).toMatchObject({ data: { exitCode: 137 } });
  });
});

describeConfined('runs.confined', () => {
  it('and an agent that asks are both confined if the settings say so', async () => {
    runs.trust([runs.project], { runs: { confined: true } });
    const { stdout, exitCode } = await askHere('asks', 'Do it');
    expect({ stdout, exitCode }).toEqual({ exitCode: 7, stdout: expect.stringContaining('"optionId":"no"') });
    const [started] = runs.events().filter(({ type }) => type === 'run.started');
    expect(started).toMatchObject({ data: { confined: 'bubblewrap', mode: 'default' } });
  });
});

interface Found {
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly processes: number;
}

function put(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'A SECRET');
  return path;
}

function ask(fault: string, text: string, ...more: readonly string[]) {
  return runs.home.run(['ask', '--agent', 'qwen', ...more, text], { cwd: runs.project, env: environment(fault) });
}

/** In this process, which costs less. */
function askHere(fault: string, text: string, ...more: readonly string[]) {
  return runs.home.here(['ask', '--agent', 'qwen', ...more, text], { cwd: runs.project, env: environment(fault) });
}

function start(fault: string) {
  const prompt = JSON.stringify({ write: [], read: [] });
  const child = runs.home.start(['ask', '--agent', 'qwen', prompt], { cwd: runs.project, env: environment(fault) });
  child.stdin!.end();
  child.stdout!.resume();
  child.stderr!.resume();
  return child;
}

function environment(fault: string): Record<string, string> {
  return { PATH: runs.agentThat(fault), HOME: user };
}

function markOf({ events }: RunHome): string {
  return String(events().find(({ type }) => type === 'run.started')!.data.mark);
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
