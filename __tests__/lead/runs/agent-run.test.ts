// `ollm ask --agent` with a program in the place of Qwen Code that has one fault after the other, and writes no session
// file: the events that ollm stores by itself, its output, and its end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { createRunHome, type RunHome, type Stored } from '../../runs/run-home.ts';
import { type Home, OLLM, type RunResult } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';

let runs: RunHome;
let home: Home;
let project: string;
beforeEach(() => {
  runs = createRunHome();
  ({ home, project } = runs);
});
afterEach(() => {
  for (const { data } of eventsOf('run.started')) expect(processesMarked(String(data.mark))).toEqual([]);
  runs[Symbol.dispose]();
});

describe('ollm ask --agent', () => {
  it('starts no agent in a directory that its user does not trust', async () => {
    trust([]);
    const { exitCode, stderr } = await ask('none');
    expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: expect.stringContaining('trustedDirectories') });
    expect(journals()).toEqual([]);
  });

  it('names the command that installs an agent', async () => {
    const { exitCode, stderr } = await home.run(['ask', '--agent', 'gemini', 'hi'], { cwd: project });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('npm install --prefix');
    expect((await home.run(['ask', '--agent', 'nobody', 'hi'], { cwd: project })).stderr).toContain(
      'There are: claude',
    );
  });

  it('starts no version older than those that it was tried with, and names the command that installs a newer one', async () => {
    const about = join(home.path, 'bin', 'package.json');
    for (const [version, exitCode] of [
      ['0.24.3', 2],
      ['0.100.0-beta', 0],
    ] as const) {
      writeFileSync(about, JSON.stringify({ version }));
      const asked = await ask('none');
      expect([version, asked.exitCode]).toEqual([version, exitCode]);
      const old = `qwen ${version} is older than`;
      const { stderr } = await home.run(['agents'], { cwd: project, env: { PATH: agentThat('none') } });
      expect([asked.stderr.includes(old), stderr.includes(old)]).toEqual([exitCode === 2, exitCode === 2]);
      if (exitCode === 2) expect(asked.stderr).toMatch(/npm install --prefix \S+ @qwen-code\/qwen-code/);
    }
  });

  it('with --permissions allow allows calls unasked only if the settings permit it', async () => {
    expect(await ask('asks', '--permissions', 'allow')).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining('server.allowUnattended'),
    });
    trust([project], { server: { allowUnattended: true } });
    expect((await ask('asks', '--permissions', 'allow')).stdout).toContain('"optionId":"yes"');
    expect(eventsOf('tool.decided')).toMatchObject([{ data: { decision: 'allow', author: 'unattended' } }]);
  });

  it('with --permissions allow still denies dangerous calls, and follows the rules of tools', async () => {
    trust([project], { server: { allowUnattended: true }, tools: { deny: ['bash(echo a)'] } });
    expect((await ask('asks', '--permissions', 'allow')).stdout).toContain('"optionId":"no"');
    expect(eventsOf('tool.decided')).toMatchObject([
      { data: { decision: 'deny', by: 'policy', rule: 'deny:bash(echo a)' } },
    ]);
    const { stdout, exitCode } = await ask('asks-for-danger', '--permissions', 'allow');
    expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining('"optionId":"no"'), exitCode: 7 });
    expect(eventsOf('tool.decided').at(-1)).toMatchObject({
      data: { decision: 'deny', dangerous: expect.any(String) },
    });
  });

  it('has the prompt, the question and the decision on the disk before each continues', async () => {
    const { exitCode, stdout, stderr } = await ask('asks');
    expect({ exitCode, stderr }).toEqual({ exitCode: 7, stderr: expect.stringContaining('call a') });
    expect(stdout).toContain('"optionId":"no"');
    const types = events().map(({ type, data }) => (type === 'run.status' ? `${data.from} → ${data.to}` : type));
    expect(types).toEqual([
      ...['session.created', 'run.started', 'queue.changed', 'queue.changed', 'starting → running', 'run.asked'],
      ...['tool.decided', 'running → completed', 'run.ended', 'session.closed'],
    ]);
    const [asked] = eventsOf('run.asked');
    expect(asked!.data.request).toMatchObject({ title: 'call a', kind: 'execute', input: { command: 'echo a' } });
    expect(eventsOf('tool.decided')[0]!.data.actionHash).toBe(asked!.data.hash);
    const { stdout: audited } = await home.run(['audit', 'qwen-s-1']);
    expect(audited).toContain('call a');
    expect(audited).not.toContain('!');
  });

  it('asks on a terminal, and shows the whole request', async () => {
    const path = agentThat('asks');
    const env = { PATH: path, HOME: home.path, OLLM_HOME: home.path };
    const args = [OLLM, 'ask', '--agent', 'qwen', 'Do it'];
    await using terminal = openTerminal(process.execPath, args, { cwd: project, env });
    await terminal.waitFor('$ echo a');
    await terminal.waitFor('Allow it once?');
    terminal.type('y\r');
    expect((await terminal.exit).code).toBe(0);
    expect(eventsOf('tool.decided')).toMatchObject([{ data: { decision: 'allow', by: 'user' } }]);
    const moves = eventsOf('run.status').map(({ data }) => data.to);
    expect(moves).toEqual(['running', 'waiting', 'running', 'completed']);
  });

  it('does not continue a session that a different process keeps locked, unless it is forced', async () => {
    const id = '019b7e26-5500-7000-8000-000000000001';
    const folder = join(home.path, '.codex', 'sessions', '2026', '01', '02');
    const locks = join(home.path, '.codex', 'thread-writer-locks');
    for (const made of [folder, locks]) mkdirSync(made, { recursive: true });
    const timestamp = '2026-01-02T10:00:00.000Z';
    const content = [{ type: 'input_text', text: 'How long is the mast?' }];
    const records = [
      { timestamp, type: 'session_meta', payload: { id, timestamp, cwd: project, cli_version: '0.169.0' } },
      { timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content } },
    ];
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    writeFileSync(join(folder, `rollout-2026-01-02T10-00-00-${id}.jsonl`), lines);
    const lock = join(locks, `${id}.lock`);
    writeFileSync(lock, '');
    const goOn = (...more: readonly string[]) =>
      home.run(['ask', '--agent', 'codex', '--resume', `codex:${id}`, ...more, 'Go on'], {
        cwd: project,
        env: { PATH: runs.agentThat('has-choices', 'codex-acp'), CODEX_HOME: join(home.path, '.codex') },
      });
    const other = spawn('flock', ['--no-fork', lock, 'sh', '-c', 'echo held; read _'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await once(other.stdout, 'data');
    const busy = await goOn();
    expect([busy.exitCode, busy.stderr]).toEqual([5, expect.stringContaining(`${other.pid} has codex:${id} open.`)]);
    expect(await goOn('--force')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('word') });
    other.stdin.end();
    await once(other, 'exit');
    // The error is then that the file is new.
    expect((await goOn()).stderr).not.toContain('open.');
  });

  it('reports that its agent died, and keeps the text that was shown', async () => {
    const { exitCode, stdout, stderr } = await ask('dies-in-the-middle');
    expect({ exitCode, stderr }).toEqual({ exitCode: 8, stderr: expect.stringContaining('exit code 9') });
    expect(stdout).toContain('half of');
    expect(eventsOf('queue.changed')[0]!.data.added).toMatchObject([{ text: 'Do it' }]);
    expect(eventsOf('run.partial')).toMatchObject([{ data: { kind: 'text', text: 'half of ' } }]);
    expect(eventsOf('run.status').at(-1)).toMatchObject({
      data: { to: 'failed', error: { code: 'AGENT_BROKEN_STREAM' } },
    });
    expect(eventsOf('run.ended')).toMatchObject([{ data: { exitCode: 9 } }]);
  });

  it('keeps the incomplete last line of its agent, although the agent reports success', async () => {
    const { exitCode, stderr } = await ask('ends-well-without-an-answer');
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('broke off its answer. It ended with exit code 0')]);
    expect(eventsOf('run.output')).toMatchObject([{ data: { text: '{"jsonrpc":"2.0","id":\n' } }]);
    expect(eventsOf('run.status').at(-1)).toMatchObject({
      data: { to: 'failed', error: { code: 'AGENT_BROKEN_STREAM' } },
    });
  });

  it('leaves no process of its agent running when ollm is killed, not even one that left its group', async () => {
    const child = home.start(['ask', '--agent', 'qwen', 'Do it'], {
      cwd: project,
      env: { PATH: agentThat('leaves-a-child-and-waits') },
    });
    child.stdin!.end();
    // The last line of the journal may be half written.
    await until(() => hasStored('run.status'));
    const mark = String(eventsOf('run.started')[0]!.data.mark);
    expect(processesMarked(mark).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await until(() => processesMarked(mark).length === 0);
    expect((await ask('none')).exitCode).toBe(0);
    expect(readdirSync(join(home.path, 'run', 'agents'))).toEqual([]);
  });

  it('keeps the first and the last lines that an agent prints, without secrets', async () => {
    expect((await ask('prints-much')).exitCode).toBe(0);
    const [{ data }] = eventsOf('run.output') as [Stored];
    const text = String(data.text);
    expect(text.length).toBeLessThan(9_000);
    expect(text.startsWith('line 0 with [redacted github-token')).toBe(true);
    expect(text).toContain('the last line');
    expect(JSON.stringify(events())).not.toContain('ghp_0123456789');
  });
});

function trust(directories: readonly string[], more: object = {}): void {
  runs.trust(directories, more);
}

function agentThat(fault: string): string {
  return runs.agentThat(fault);
}

function journals(): readonly string[] {
  return runs.journals();
}

function events(): readonly Stored[] {
  return runs.events();
}

function eventsOf(type: string): readonly Stored[] {
  return events().filter((event) => event.type === type);
}

function ask(fault: string, ...more: readonly string[]): Promise<RunResult> {
  // Each begins a session of the same id.
  for (const name of journals()) rmSync(join(home.sessions, name));
  return home.run(['ask', '--agent', 'qwen', ...more, 'Do it'], { cwd: project, env: { PATH: agentThat(fault) } });
}

function hasStored(type: string): boolean {
  const [name] = journals();
  return name !== undefined && new RegExp(`"type":"${type}".*\n`).test(readFileSync(join(home.sessions, name), 'utf8'));
}
