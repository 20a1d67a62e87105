// Standard output of a program of its own, where it leads into a pipe.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

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
