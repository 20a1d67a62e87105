// Standard output of a program of its own, where it leads into a pipe.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createHome } from '../support/cli.ts';

const MODULE = fileURLToPath(new URL('../../lib/cli/standard-output.ts', import.meta.url));

/** Runs `code` with the `output` of the program. It says something by `tell`, on standard error. */
function start(code: string) {
  const whole = `const { writeSync } = process.getBuiltinModule('node:fs');
    const { StandardOutput } = await import(${JSON.stringify(MODULE)});
    const output = new StandardOutput('stdout');
    const isOpened = () => process.moduleLoadList.includes('NativeModule net');
    const tell = (...values) => writeSync(2, JSON.stringify(values) + '\\n');
    ${code}`;
  return spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', whole], { stdio: 'pipe' });
}

const toldBy = async (stream: AsyncIterable<unknown>): Promise<unknown[]> =>
  (await text(stream))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('standard output into a pipe', () => {
  it('needs no stream of Node for a short output, and a long one comes whole after it', async () => {
    const child = start(`
      await output.write('first\\n');
      await output.flush();
      tell(isOpened(), output.isTerminal, output.columns, output.isTaken);
      await output.write('x'.repeat(3_000_000));
      await output.write(new TextEncoder().encode('\\nlast\\n'));
      await output.flush();
      tell(isOpened(), output.isTaken);`);
    const [printed, told] = await Promise.all([text(child.stdout), toldBy(child.stderr)]);
    expect(printed.replace(/x+/, (run) => String(run.length))).toBe('first\n3000000\nlast\n');
    expect(told).toEqual([
      [false, false, 80, true],
      [true, true],
    ]);
  });

  it('waits for its reader where another program has made the pipe one that does not wait', async () => {
    const child = start(`
      const { Socket } = await import('node:net');
      new Socket({ fd: 1, readable: false, writable: true });
      let filled = 0;
      let fills = 0;
      // The reader takes some of it by itself, and then waits.
      for (let before = -1; before < filled; await new Promise((resolve) => setTimeout(resolve, 50))) {
        before = filled;
        try {
          while (true) filled += writeSync(1, '.'.repeat(1_000));
        } catch (error) {
          if (error.code === 'EAGAIN') fills += 1;
        }
      }
      tell(fills > 1);
      const written = output.write('end');
      tell(filled, output.isTaken);
      await written;
      await output.flush();
      tell(output.isTaken);`);
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (some: string) => {
      told += some;
    });
    while (told.split('\n').length < 3) await once(child.stderr, 'data');
    const [isFilled, [filled, isTaken] = []] = told
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown[]);
    expect([isFilled, isTaken]).toEqual([[true], false]);
    expect(await text(child.stdout)).toBe(`${'.'.repeat(filled as number)}end`);
  });

  it('has many writes wait for a slow reader without a warning of Node', async () => {
    const child = start(`
      const warnings = [];
      process.on('warning', ({ name }) => warnings.push(name));
      const written = Array.from({ length: 40 }, (_, at) => output.write(String(at).padEnd(9_000, '.')));
      await new Promise((resolve) => setImmediate(resolve));
      tell(output.isTaken);
      await Promise.all(written);
      tell(...warnings);`);
    await once(child.stderr, 'readable');
    const [printed, told] = await Promise.all([text(child.stdout), toldBy(child.stderr)]);
    expect(printed.split(/\.+/).slice(0, -1)).toEqual(Array.from({ length: 40 }, (_, at) => String(at)));
    expect(told).toEqual([[false], []]);
  });

  it('ends with the reader', async () => {
    const child = start(`
      await new Promise((resolve) => process.stdin.once('data', resolve));
      await output.write('any').catch((error) => tell(error.name));
      await output.flush().catch((error) => tell(error.name));
      process.exit();`);
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.end('now');
    expect(await toldBy(child.stderr)).toEqual([['ReaderGone'], ['ReaderGone']]);
  });
});

const RUN = fileURLToPath(new URL('../../lib/cli/run.ts', import.meta.url));

/** Where a pipe is opened once more with `/dev/fd`, and has this room. */
(process.platform === 'linux' ? describe : describe.skip)('output into a pipe that other programs have filled', () => {
  const FILL = 'head -c 65536 /dev/zero';

  /** Runs `code`, which says something by `tell`. Then the pipe is read, and its end is returned. */
  async function printedBy(code: string): Promise<string> {
    using home = createHome();
    const whole = `const { writeSync } = process.getBuiltinModule('node:fs');
      const tell = () => writeSync(4, 'told');
      ${code}`;
    const shell = `exec 3<&0 4>&2
      { ${FILL}; exec "$0" --no-warnings --input-type=module -e "$1"; } 2>&1 | { read -r go <&3; tail -c +65537; }`;
    const child = spawn('bash', ['-c', shell, process.execPath, whole], {
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });
    // The reader begins in the end, also where the process waits for it: the test then fails.
    const timer = setTimeout(() => child.stdin.end(), 4_000);
    await Promise.race([once(child.stderr, 'readable'), once(child, 'exit')]);
    clearTimeout(timer);
    const isInTime = !child.stdin.writableEnded;
    child.stdin.end();
    const [printed, told] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return isInTime && told === 'told' ? printed : 'told too late';
  }

  it('does not keep a signal from the process', async () => {
    const printed = await printedBy(`
      const { StandardOutput } = await import(${JSON.stringify(MODULE)});
      void new StandardOutput('stdout').write('end');
      process.once('SIGTERM', tell);
      process.kill(process.pid, 'SIGTERM');`);
    expect(printed).toBe('end');
  });

  it('has the report of a failed search whole', async () => {
    const printed = await printedBy(`
      const { run } = await import(${JSON.stringify(RUN)});
      process.once('exit', tell);
      await run(['search', '--', '-test']);
      process.off('exit', tell);
      tell();`);
    expect(printed).toMatch(/^ollm: A search needs a word .*\.\nFor example: .*\.\n$/);
  });
});
