import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startProcess } from '../../../lib/platform/processes/child-process.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-child-')));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a started process', () => {
  const start = (argv: readonly [string, ...string[]], rest: object = {}) =>
    startProcess({ argv, cwd: root, env: { A: 'b' }, errors: 'apart', ...rest });

  test('gets only its arguments and its environment', async () => {
    const child = await start(['/bin/sh', '-c', 'cat; pwd; echo $0 "$@" >&2', 'a b', 'c'], { input: 'given\n' });
    const [output, errors, exit] = await Promise.all([text(child.output), text(child.errors!), child.exited]);
    expect([output, errors, exit]).toEqual([`given\n${root}\n`, 'a b c\n', { exitCode: 0, killedBy: undefined }]);
  });

  test('has a group of its own, which receives signals as a whole', async () => {
    const child = await start(['/bin/sh', '-c', 'ps -o pgid= -p $$; sleep 1000 & echo ready; wait'], {
      errors: 'merged',
    });
    child.output.setEncoding('utf8');
    let said = '';
    for await (const chunk of child.output) {
      said += String(chunk);
      if (said.includes('ready')) child.signalGroup('SIGKILL');
    }
    expect(said.trim().split(/\s+/)).toEqual([String(child.pid), 'ready']);
    expect(await child.exited).toEqual({ exitCode: undefined, killedBy: 'SIGKILL' });
    child.signalGroup('SIGKILL');
  });

  test('is refused unless its program is an absolute path', async () => {
    await expect(start(['ls'])).rejects.toThrow('ls is not an absolute path of a program.');
  });

  test('that fails closes everything that was opened for it', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    await expect(start(['/no/such'])).rejects.toThrow(/cannot be started: the program, or the interpreter/);
    const before = open();
    for (let time = 0; time < 20; time++) await start(['/no/such'], { input: 'x' }).catch(() => undefined);
    for (let time = 0; time < 5; time++) {
      const child = await start(['/bin/true'], { input: 'x' });
      await Promise.all([text(child.output), text(child.errors!), child.exited]);
    }
    expect(open()).toBeLessThanOrEqual(before);
  });
});
