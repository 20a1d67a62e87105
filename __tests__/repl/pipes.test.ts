import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createHome, type Home, OLLM, parseLines } from '../support/cli.ts';
import { deadUrl } from '../support/fault-server.ts';
import { startModel } from './slow-model.ts';

const journalOf = (home: Home, name: string) => parseLines(readFileSync(home.journal(name), 'utf8'));
const offline = (...more: string[]) => ['repl', '--provider', 'offline', '--name', 'talk', ...more];

describe('the REPL without a terminal', () => {
  it('takes each line as a turn, also blocks and commands, and draws nothing', async () => {
    using home = createHome();
    const input = 'find one\n\n"""\ntwo\nlines\n"""\n/title A talk\n//three';
    const { stdout, stderr, exitCode } = await home.run(offline(), { input });
    expect(exitCode).toBe(0);
    const journal = journalOf(home, 'talk');
    const inputs = journal
      .filter(({ type }) => type === 'turn.started')
      .map(({ data }) => (data as { input: string }).input);
    expect(inputs).toEqual(['find one', 'two\nlines', '/three']);
    expect(journal.at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'eof' } });
    expect(stdout).toContain('A talk');
    expect(stdout).not.toContain('Provider: offline');
    expect(stdout + stderr).not.toMatch(/\x1b|\r|^> /m);
    expect(stderr).toContain('Provider: offline');
    expect(stderr).toContain('Session talk, new.');
  });

  it('prints only answers with --quiet', async () => {
    using home = createHome();
    const { stderr } = await home.run(offline('--quiet'), { input: 'hello\n' });
    expect(stderr).toBe('');
  });

  it('ends with 0 for an empty input', async () => {
    using home = createHome();
    const { exitCode, stdout } = await home.run(offline());
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  });

  it('continues after a failure and exits with its code', async () => {
    using home = createHome();
    const env = { OLLAMA_HOST: await deadUrl() };
    const { stdout, stderr, exitCode } = await home.run(
      ['repl', '--provider', 'ollama', '--model', 'any', '--name', 'talk'],
      { input: 'hello\n/title still here\n', env },
    );
    expect(exitCode).toBe(8);
    expect(stderr).toContain('ollm: ');
    expect(stdout).toContain('still here');
  });

  it('exits with 2 after an unknown command, and suggests one', async () => {
    using home = createHome();
    const { stderr, exitCode } = await home.run(offline(), { input: '/usgae\n' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean /usage?');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('keeps the part that arrived when it is ended by %s', async (signal, exitCode) => {
    using home = createHome();
    await using model = await startModel({ text: 'Half an\nanswer', ends: false });
    const child = home.start(['repl', '--provider', 'ollama', '--name', 'talk'], { env: { OLLAMA_HOST: model.url } });
    child.stdin!.write('talk\n');
    await once(child.stdout!, 'data');
    child.kill(signal);
    const [code] = await once(child, 'exit');
    expect(code).toBe(exitCode);
    const journal = journalOf(home, 'talk');
    expect(journal.findLast(({ type }) => type === 'message.added')?.data).toMatchObject({ finish: 'cancelled' });
    expect(journal.at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'signal', signal } });
  });

  it('closes the session in order when the reader of its answers goes away', async () => {
    using home = createHome();
    const { PATH } = process.env;
    const script = `yes 'find checksum' | head -5000 | "$0" "$1" repl --provider offline --name talk | head -1; echo "\${PIPESTATUS[2]}"`;
    const child = spawn('bash', ['-c', script, process.execPath, OLLM], {
      cwd: home.path,
      env: { PATH, HOME: home.path, OLLM_HOME: home.path },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    await once(child, 'close');
    expect(output.trim().split('\n').at(-1)).toBe('141');
    expect(journalOf(home, 'talk').at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'signal' } });
  });

  (existsSync('/dev/full') ? it : it.skip)(
    'reports that its answers have no room, and closes the session in order',
    () => {
      using home = createHome();
      const script = 'echo hello | "$0" "$1" repl --provider offline --name talk --quiet > /dev/full';
      const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, OLLM], {
        cwd: home.path,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
      });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: 'ollm: The answers could not be written to standard output (ENOSPC).\n',
      });
      expect(journalOf(home, 'talk').at(-1)).toMatchObject({ type: 'session.closed' });
    },
  );

  it('escapes control characters in printed answers, and stores them raw in the journal', async () => {
    using home = createHome();
    const text = 'safe \x1b]52;c;aGk=\x07text\n\x1b[2Jend';
    await using model = await startModel({ text, ends: true });
    const { stdout } = await home.run(['repl', '--provider', 'ollama', '--name', 'talk'], {
      input: 'hi\n',
      env: { OLLAMA_HOST: model.url },
    });
    expect(stdout).toBe('safe text\nend\n');
    expect(journalOf(home, 'talk').findLast(({ type }) => type === 'message.added')?.data).toMatchObject({
      parts: [{ type: 'text', text }],
    });
  });
});
