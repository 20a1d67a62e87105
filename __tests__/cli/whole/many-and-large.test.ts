// A thousand sessions, one of 120 MB, and a journal with a hole of a gigabyte in it: told in time and in little memory.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

const SESSIONS = 1000;
const GIBIBYTE = 1024 ** 3;
/** What a process takes that does next to nothing, as much again, and lines of the greatest length that are held. */
const MEMORY_LIMIT_KB = 384 * 1024;
/** The peak of the process itself: getrusage begins with the peak of the process that started it. */
const SAYS_ITS_MEMORY = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { readFileSync } from 'node:fs';
    const peak = () => {
      try {
        return /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
      } catch {
        return process.resourceUsage().maxRSS;
      }
    };
    process.on('exit', () => process.stderr.write('RSS ' + peak() + '\\n'));
  `)}`,
];
let home: Home;

beforeAll(async () => {
  home = createHome();
  await home.append('first', [{ type: 'note.made', data: { text: 'x'.repeat(2000) } }]);
});
afterAll(() => home[Symbol.dispose]());

const memoryOf = (stderr: string) => Number(/RSS (\d+)/.exec(stderr)?.[1]);

describe('a session of 120 MB', () => {
  it('is exported, verified and followed within a heap smaller than the session', async () => {
    using large = createHome();
    const text = 'All work and no play. '.repeat(5000);
    const prompt = {
      role: 'user',
      parts: [{ type: 'text', text }],
      tokens: { count: 4, method: 'estimated' },
      trusted: true,
    };
    const line = `${JSON.stringify({ type: 'message.added', data: prompt })}\n`;
    const nodeOptions = ['--max-old-space-size=96'];
    expect((await large.run(['append', 'long', '--create'], { input: line.repeat(1200), nodeOptions })).exitCode).toBe(
      0,
    );
    expect(statSync(large.journal('long')).size).toBeGreaterThan(120_000_000);
    for (const args of [
      ['export', 'long', '-o', 'long.md'],
      ['export', 'long', '-o', 'long.jsonl'],
      ['verify', 'long', '--deep'],
    ]) {
      expect(await large.run(args, { nodeOptions })).toMatchObject({ exitCode: 0 });
    }
    const tail = await large.run(['tail', 'long', '-n', 'all'], { nodeOptions });
    expect(tail.stdout.match(/message\.added/g)).toHaveLength(1200);
  });
});

describe('a thousand sessions', () => {
  beforeAll(() => {
    for (let count = 2; count <= SESSIONS; count += 1) {
      copyFileSync(home.journal('first'), home.journal(`copy-${String(count).padStart(4, '0')}`));
    }
    writeFileSync(home.journal('copy-0500'), readFileSync(home.journal('first'), 'latin1').replace('xx', 'xy'));
    appendFileSync(home.journal('copy-0700'), '{"seq":');
  });

  it('are verified with a bar on a terminal, and only the faults stay on the screen', async () => {
    await using terminal = openTerminal(process.execPath, [OLLM, 'verify', '--all'], {
      columns: 100,
      rows: 30,
      cwd: home.path,
      env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path },
    });
    expect(await terminal.exit).toMatchObject({ code: 4 });
    expect(terminal.raw()).toMatch(/[█░]{24} +\d+ % {2}\d+ of 1000 /);
    const lines = terminal.lines().filter((line) => line !== '');
    expect(lines.filter((line) => /[█░]/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes(': ok'))).toEqual([]);
    expect(lines.filter((line) => line.includes('1 finding'))).toHaveLength(2);
    expect(lines.at(-1)).toMatch(/^1,000 sessions, [\d,]+ events, 2 damaged\.$/);
  });

  it('are verified through a pipe with a line each, in little memory', async () => {
    const { exitCode, stdout, stderr } = await home.run(['verify', '--all'], { nodeOptions: SAYS_ITS_MEMORY });
    expect(exitCode).toBe(4);
    expect(stdout.match(/: ok, /g)).toHaveLength(SESSIONS - 2);
    expect(memoryOf(stderr)).toBeLessThan(MEMORY_LIMIT_KB);
  });
});

describe('a journal with a hole of a gigabyte', () => {
  /** Sparse: on the disk there is next to nothing of it. */
  async function makeHoled(id: string, bytes: number): Promise<void> {
    await home.append(id, [{ type: 'note.made', data: { text: 'before' } }]);
    const file = openSync(home.journal(id), 'r+');
    const { size } = fstatSync(file);
    writeSync(file, `\n${readFileSync(home.journal('first'), 'latin1')}`, size + bytes);
    closeSync(file);
  }
  beforeAll(() => makeHoled('large', GIBIBYTE));

  it.each([['verify'], ['show'], ['tail']])('ollm %s skips it in little memory, and says so', async (command) => {
    const { exitCode, stdout, stderr } = await home.run([command, 'large'], { nodeOptions: SAYS_ITS_MEMORY });
    expect(exitCode).toBe(4);
    expect(stdout + stderr).toMatch(/oversize at .*1\.1 GB/);
    expect(memoryOf(stderr)).toBeLessThan(MEMORY_LIMIT_KB);
  });

  it('is verified among others like any damaged journal', async () => {
    // Less of a hole, but still more than a line may have.
    await makeHoled('holed', GIBIBYTE / 8);
    using many = createHome();
    mkdirSync(many.sessions, { mode: 0o700 });
    for (const id of ['one', 'three', 'two']) {
      execFileSync('cp', ['--sparse=always', home.journal('holed'), many.journal(id)]);
    }
    copyFileSync(home.journal('first'), many.journal('small'));
    const all = await many.run(['verify', '--all', '--json']);
    expect(all.exitCode).toBe(4);
    let each = '';
    for (const id of ['one', 'small', 'three', 'two']) each += (await many.run(['verify', id, '--json'])).stdout;
    expect(all.stdout).toBe(each);
  });

  it('ends with 130 on Ctrl+C while many are verified', async () => {
    using many = createHome();
    mkdirSync(many.sessions, { mode: 0o700 });
    // So large that no command is done with them before Ctrl+C comes; sparse, so that they take no room.
    for (let count = 10; count < 60; count += 1) {
      copyFileSync(home.journal('first'), many.journal(`copy-${count}`));
      truncateSync(many.journal(`copy-${count}`), GIBIBYTE);
    }
    const child = many.start(['verify', '--all', '--json']);
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    let told = '';
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (text: Buffer) => {
        told += text;
        resolve();
      });
    });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(told.split('\n').length).toBeLessThan(50);
  });
});
