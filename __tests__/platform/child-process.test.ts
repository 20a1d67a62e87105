import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findProgram, isWithin, StartFailure, startProcess } from '../../lib/platform/child-process.ts';
import { processesMarked } from '../../lib/platform/process-tree.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-child-')));
});
afterEach(() => rmSync(root, { recursive: true }));

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, name), '#!/bin/sh\n');
  chmodSync(join(root, folder, name), mode);
  return join(root, folder, name);
}

describe('a program is found', () => {
  test('by its name in the first directory of PATH that has it', () => {
    program('b', 'tool');
    const first = program('a', 'tool');
    expect(findProgram('tool', { path: `/none:${root}/a:${root}/b`, cwd: root })).toBe(first);
  });

  test('past one that may not be executed, and past a directory of that name', () => {
    program('a', 'tool', 0o644);
    mkdirSync(join(root, 'b', 'tool'), { recursive: true });
    const runnable = program('c', 'tool');
    expect(findProgram('tool', { path: `${root}/a:${root}/b:${root}/c`, cwd: root })).toBe(runnable);
    expect(() => findProgram('tool', { path: `${root}/b:${root}/a`, cwd: root })).toThrow(
      `${root}/b/tool cannot be started: it is a directory.`,
    );
  });

  test.each(['', '.', './', 'a', '../a', ':', '~/a'])('never by the relative entry %j', (entry) => {
    program('.', 'tool');
    program('a', 'tool');
    expect(() => findProgram('tool', { path: entry ? `${entry}:/none` : '/none:', cwd: root })).toThrow(StartFailure);
  });

  test('never by its name in a directory that is not trusted', () => {
    program('project/bin', 'tool');
    const options = { path: `${root}/project/bin`, cwd: root, untrusted: [join(root, 'project')] };
    expect(() => findProgram('tool', options)).toThrow(StartFailure);
    expect(findProgram('tool', { ...options, untrusted: [join(root, 'pro')] })).toBe(`${root}/project/bin/tool`);
    symlinkSync('project', join(root, 'link'));
    expect(() => findProgram('tool', { ...options, untrusted: [join(root, 'link')] })).toThrow(StartFailure);
    expect(() => findProgram('tool', { ...options, path: `${root}/link/bin` })).toThrow(StartFailure);
  });

  test('by a path that is said, also one from where we stand', () => {
    const tool = program('a', 'tool');
    const options = { path: undefined, cwd: join(root, 'a'), untrusted: [root] };
    expect([findProgram('./tool', options), findProgram(tool, options), findProgram('../a/tool', options)]).toEqual([
      tool,
      tool,
      tool,
    ]);
  });

  test('and not if its name makes no sense', () => {
    for (const name of ['', 'a\0b', '/', 'no/such', '.', '..']) {
      expect(() => findProgram(name, { path: '/usr/bin', cwd: root })).toThrow(StartFailure);
    }
  });

  test('through a link, by the name of the link: some programs are many', () => {
    program('a', 'many');
    symlinkSync('many', join(root, 'a', 'one'));
    expect(findProgram('one', { path: join(root, 'a'), cwd: root })).toBe(join(root, 'a', 'one'));
  });
});

describe('started', () => {
  const start = (argv: readonly [string, ...string[]], rest: object = {}) =>
    startProcess({ argv, cwd: root, env: { A: 'b' }, errors: 'apart', ...rest });

  test('it gets what was named and nothing else', async () => {
    const child = await start(['/bin/sh', '-c', 'cat; pwd; echo $0 "$@" >&2', 'a b', 'c'], { input: 'given\n' });
    const [output, errors, exit] = await Promise.all([text(child.output), text(child.errors!), child.exited]);
    expect([output, errors, exit]).toEqual([`given\n${root}\n`, 'a b c\n', { exitCode: 0, killedBy: undefined }]);
  });

  test('it leads a group of its own, which a signal reaches as a whole', async () => {
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

  test('a name that is no absolute path is not started', async () => {
    await expect(start(['ls'])).rejects.toThrow('ls is not an absolute path of a program.');
  });

  test('a failure closes everything that was opened for it', async () => {
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

test('a process is found by a variable of its environment, whole and not in part', async () => {
  const child = await startProcess({
    argv: ['/bin/sleep', '1000'],
    cwd: '/',
    env: { MARK: `m-${process.pid}` },
    errors: 'merged',
  });
  try {
    expect(processesMarked(`MARK=m-${process.pid}`)).toEqual([child.pid]);
    expect(processesMarked(`MARK=m-${process.pid}`.slice(0, -1))).toEqual([]);
    expect(processesMarked(`ARK=m-${process.pid}`)).toEqual([]);
  } finally {
    child.signalGroup('SIGKILL');
  }
});

test('a directory holds itself and what is in it, not a neighbour whose name begins the same', () => {
  expect([isWithin('/a', '/a'), isWithin('/a', '/a/b'), isWithin('/a', '/a/..b'), isWithin('/', '/a')]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([isWithin('/a', '/ab'), isWithin('/a', '/'), isWithin('/a/b', '/a')]).toEqual([false, false, false]);
});
