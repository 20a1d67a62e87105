// Standard output and error of `list` and `search` where they lead to no terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('../../lib/cli/plain-streams.ts', import.meta.url));

/** Runs `code` with the streams in a program of its own, whose standard output is a pipe. */
function start(code: string) {
  const whole = `const { usePlainStreams } = await import(${JSON.stringify(MODULE)}); ${code}`;
  return spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', whole], { stdio: 'pipe' });
}

describe('plain streams', () => {
  it('write at once, load no stream of Node, and hand over to it what a full pipe does not take', async () => {
    const child = start(`
      usePlainStreams();
      const isLoaded = () => process.moduleLoadList.includes('NativeModule internal/streams/pipeline');
      process.stdout.write('first\\n', () => console.error('taken', isLoaded()));
      process.stderr.write(String(isLoaded()) + '\\n');
      setImmediate(async () => {
        // Node makes the pipe one that does not wait.
        const { Socket } = await import('node:net');
        new Socket({ fd: 1, readable: false, writable: true });
        const isDone = process.stdout.write('x'.repeat(3_000_000) + '\\n');
        console.error(isDone, process.stdout.writableLength > 0);
        process.stdout.once('drain', () => process.stdout.write('last\\n'));
      });`);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    const [rest, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(errors).toBe('false\ntaken false\nfalse true\n');
    expect((first.toString() + rest).replace(/x+/, (run) => String(run.length))).toBe('first\n3000000\nlast\n');
  });

  it('report a reader that has gone, to who listens', async () => {
    const child = start(`
      usePlainStreams();
      process.stdout.on('error', ({ code }) => console.error('event', code));
      process.stdin.once('data', () => process.stdout.write('any', (error) => console.error('callback', error.code)));`);
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.end('now');
    expect(await text(child.stderr)).toBe('callback EPIPE\nevent EPIPE\n');
  });
});
