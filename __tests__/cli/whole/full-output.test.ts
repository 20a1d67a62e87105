// Results that are not whole: those that find no room where standard output leads, and an answer that breaks off.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { type Answer, startFaultServer } from '../../support/fault-server.ts';
import { until } from '../../support/until.ts';

describe('an answer that the connection cuts off', () => {
  it('ends its line before the error is printed', async () => {
    using home = createHome();
    const chat: Answer = {
      steps: ['{"model":"m","message":{"role":"assistant","content":"Half an"},"done":false}\n', { fault: 'cut' }],
    };
    await using model = await startFaultServer({ '/api/chat': chat });
    const { status, stdout } = await new Promise<{ status: number | null; stdout: string }>((resolve) => {
      const args = [
        '-c',
        '"$0" "$@" 2>&1 < /dev/null',
        process.execPath,
        OLLM,
        'ask',
        'hi',
        '--provider',
        'ollama',
        '--model',
        'm',
      ];
      const child = spawn('bash', args, {
        env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url },
      });
      let stdout = '';
      child.stdout.on('data', (text) => {
        stdout += text;
      });
      child.on('close', (status) => resolve({ status, stdout }));
    });
    expect(stdout).toMatch(/^Half an\nollm: The answer of Ollama .* was cut off in the middle\.\n/);
    expect(stdout).not.toMatch(/\n\n$/);
    expect(status).toBe(8);
  });
});

/** Fills standard error, and fails in work that no one awaits, once the program listens for that. */
const CRASH = `
  import { constants, openSync, writeFileSync, writeSync } from 'node:fs';
  process.on('newListener', (name) => {
    if (name !== 'uncaughtException') return;
    const full = openSync('/dev/fd/2', constants.O_WRONLY | constants.O_NONBLOCK);
    for (const bytes of [4_096, 1]) try { for (;;) writeSync(full, '.'.repeat(bytes)); } catch {}
    const hasReported = () => writeFileSync(process.env.CRASHED, '');
    process.on('exit', hasReported);
    process.nextTick(() => {
      setImmediate(() => {
        hasReported();
        throw new Error('a later one');
      });
      throw new Error('the planned crash');
    });
  });`;

it('a crash with its standard error in a full pipe waits for the reader with its report', async () => {
  using home = createHome();
  const CRASHED = join(home.path, 'crashed');
  const line = 'exec 3<&0; "$0" "$@" 2>&1 > /dev/null < /dev/null | { read go <&3; cat; }';
  const env = { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path, CRASHED };
  const crash = ['--import', `data:text/javascript,${encodeURIComponent(CRASH)}`];
  const child = spawn('bash', ['-c', line, process.execPath, ...crash, OLLM, 'watch'], { env });
  await until(() => existsSync(CRASHED));
  child.stdin.end('\n');
  const reports = (await text(child.stdout))
    .replace(/^\.+/, '')
    .split('\n')
    .filter((each) => each.startsWith('ollm: '));
  expect(reports).toEqual(['ollm: Something went wrong in ollm itself: the planned crash']);
});

/** A file that takes nothing: Linux has one. */
const FULL = '/dev/full';

(existsSync(FULL) ? describe : describe.skip)('a command without room for its results', () => {
  let home: Home;
  beforeAll(async () => {
    home = createHome();
    await home.append('walk', [{ type: 'a.step', data: {} }]);
  });
  afterAll(() => home[Symbol.dispose]());

  const toFullDisk = (...args: string[]) =>
    spawnSync('bash', ['-c', `"$0" "$@" > ${FULL}`, process.execPath, OLLM, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });

  it.each([
    ['export', 'walk'],
    ['tail', 'walk'],
    ['list', '--json'],
    ['replay', 'walk'],
    ['show', 'walk'],
  ])('fails and reports it once: %s', (...args) => {
    const { status, stderr } = toFullDisk(...args);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'ollm: The results could not be written to standard output (ENOSPC).\n' +
        'The output is incomplete. Make room for it, and run the command again.\n',
    });
  });

  it('fails without a stack trace for --version', () => {
    expect(toFullDisk('--version')).toMatchObject({ status: 1, stderr: '' });
  });
});

describe('a command whose results fit only in part', () => {
  let home: Home;
  beforeAll(async () => {
    home = createHome();
    const parts = [{ type: 'text', text: 'word '.repeat(25_000) }];
    const data = { role: 'user', parts, tokens: { count: 1, method: 'estimated' }, trusted: true };
    await home.append('long', [{ type: 'message.added', data }]);
  });
  afterAll(() => home[Symbol.dispose]());

  /** A disk that has just filled up takes the beginning of a write. A file that may not grow further does the same. */
  const intoFile = (limitKb: number | 'unlimited', ...args: string[]) =>
    spawnSync('bash', ['-c', `ulimit -f ${limitKb}; "$0" "$@" > out`, process.execPath, OLLM, ...args], {
      cwd: home.path,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });
  const written = () => readFileSync(join(home.path, 'out'));

  it.each([
    ['export', 'long', '--format', 'jsonl'],
    ['export', 'long'],
    ['tail', 'long', '--json'],
    ['replay', 'long'],
  ])('fails and says so, although a stream would report success: %s', (...args) => {
    const whole = intoFile('unlimited', ...args);
    expect(whole).toMatchObject({ status: 0, stderr: '' });
    const bytes = written();
    expect(bytes.length).toBeGreaterThan(100_000);

    const cut = intoFile(90, ...args);
    expect(cut).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The results could not be written to standard output (EFBIG).'),
    });
    expect(written().equals(bytes.subarray(0, 90 * 1024))).toBe(true);
  });
});
