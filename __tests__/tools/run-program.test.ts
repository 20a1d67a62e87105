import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ToolFailure } from '../../lib/tools/tool.ts';
import {
  confined,
  describeConfined,
  programWorld,
  type RunOptions,
  runningWith,
  sandbox,
  uniqueSleep,
  until,
  type World,
} from './program-world.ts';

let world: World;
beforeEach(() => {
  world = programWorld();
});
afterEach(() => world.remove());

const failureOf = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ToolFailure);
  return (error as ToolFailure).message;
};

/** What holds with a sandbox and without. */
function programs(used: () => RunOptions): void {
  const sh = (line: string, options: RunOptions = {}) => world.sh(line, { ...used(), ...options });
  const run = (argv: readonly [string, ...string[]], options: RunOptions = {}) =>
    world.run(argv, { ...used(), ...options });

  test("a program's output and exit code are returned", async () => {
    const outcome = await sh('echo out; echo err >&2; exit 3');
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 3, killedBy: undefined, omittedBytes: 0 });
    expect(outcome.text).toBe('out\nerr\n');
    expect(outcome.errors).toBeUndefined();
  });

  test('standard error is separate for callers that parse the answer', async () => {
    const { text, errors } = await sh('echo out; echo err >&2', { errorsApart: true });
    expect([text, Buffer.from(errors!).toString()]).toEqual(['out\n', 'err\n']);
  });

  test('empty output and bytes that are not text are returned unchanged', async () => {
    expect((await run(['true'])).output).toHaveLength(0);
    expect([...(await sh(String.raw`printf '\000\377\300\200\n'`)).output]).toEqual([0, 255, 192, 128, 10]);
  });

  test('output is reported while the program runs', async () => {
    const abort = new AbortController();
    const heard: string[] = [];
    const outcome = await sh('echo ready; sleep 1000', {
      signal: abort.signal,
      onOutput: (chunk) => {
        heard.push(Buffer.from(chunk).toString());
        abort.abort();
      },
    });
    expect(heard).toEqual(['ready\n']);
    expect(outcome).toMatchObject({ status: 'cancelled', text: 'ready\n' });
  });

  test('a program gets no input, or the given one, and may leave it unread', async () => {
    expect(await run(['cat'])).toMatchObject({ exitCode: 0, text: '' });
    expect(await run(['cat'], { input: 'größer\n' })).toMatchObject({ exitCode: 0, text: 'größer\n' });
    expect(await run(['true'], { input: 'x'.repeat(5_000_000) })).toMatchObject({ status: 'exited', exitCode: 0 });
  });

  test('output and errors come in the order in which they were written', async () => {
    const expected = Array.from({ length: 200 }, (_, index) => `out ${index}\nerr ${index}\n`).join('');
    const { text } = await sh('i=0; while [ $i -lt 200 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done');
    expect(text).toBe(expected);
  });

  test('a program can open its streams by their names', async () => {
    const { text } = await sh('cat /dev/stdin | tee /dev/stderr > /dev/stdout', { input: 'once\n' });
    expect(text).toBe('once\nonce\n');
  });

  test('a program runs in the given directory', async () => {
    mkdirSync(join(world.project, 'a b'));
    const cwd = join(world.project, 'a b');
    expect((await sh('pwd; echo $PWD', { cwd })).text).toBe(`${cwd}\n${cwd}\n`);
  });

  test('yes is ended after the limit of output: that much is kept, the rest counted', async () => {
    const outcome = await run(['yes'], { maxOutputBytes: 100_001 });
    expect(outcome.status).toBe('too-much-output');
    expect(outcome.text).toBe(`${'y\n'.repeat(50_000)}y`);
    expect(outcome.omittedBytes).toBeGreaterThan(0);
  });

  test('a gigabyte that is not stopped in time is dropped while it arrives', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await sh('trap "" TERM; head -c 1000000000 /dev/zero', { maxOutputBytes: 1_000_000 });
    expect(outcome.output).toHaveLength(1_000_000);
    expect(outcome.status).toBe('too-much-output');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400_000_000);
  });

  test('an endless program is ended when its time is over', async () => {
    const nap = uniqueSleep();
    const outcome = await run(['sleep', nap], { timeoutMs: 200 });
    expect(outcome.status).toBe('timeout');
    await until(() => runningWith(nap) === 0);
  });

  test('a program may clean up when it is asked to end', async () => {
    const abort = new AbortController();
    const line = `trap 'echo tidied; exit 0' TERM; exec 2>/dev/null; echo ready; while :; do sleep 0.05; done`;
    const outcome = await sh(line, { signal: abort.signal, graceMs: 10_000, onOutput: () => abort.abort() });
    expect(outcome).toMatchObject({ status: 'cancelled', text: 'ready\ntidied\n' });
  });

  test('a program that ignores the request is killed, with its children', async () => {
    const nap = uniqueSleep();
    const abort = new AbortController();
    const outcome = sh(`trap '' TERM; sleep ${nap} & sleep ${nap}; sleep ${nap}`, { signal: abort.signal });
    await until(() => runningWith(nap) === 2);
    abort.abort();
    expect(await outcome).toMatchObject({ status: 'cancelled', exitCode: undefined, killedBy: 'SIGKILL' });
    await until(() => runningWith(nap) === 0);
  });

  test('a cancelled program ends with children that left its group, its session and its parent', async () => {
    const nap = uniqueSleep();
    const abort = new AbortController();
    const line = `setsid sh -c 'trap "" TERM HUP; (sleep ${nap} &) ; sleep ${nap}' </dev/null >/dev/null 2>&1 & sleep ${nap}`;
    const outcome = sh(line, { signal: abort.signal });
    await until(() => runningWith(nap) === 3);
    abort.abort();
    expect(await outcome).toMatchObject({ status: 'cancelled' });
    await until(() => runningWith(nap) === 0);
  });

  test('processes that a program left running are ended, without waiting for their output', async () => {
    const nap = uniqueSleep();
    const line = `sleep ${nap} & setsid sleep ${nap} & (setsid sleep ${nap} >/dev/null 2>&1 &) ; echo started`;
    expect(await sh(line)).toMatchObject({ status: 'exited', exitCode: 0, text: 'started\n' });
    await until(() => runningWith(nap) === 0);
  });

  test('a fork bomb whose processes ignore signals in sessions of their own leaves no process', async () => {
    const nap = uniqueSleep();
    writeFileSync(
      join(world.project, 'bomb'),
      `trap '' TERM HUP\n[ "$1" -gt 0 ] || exec sleep ${nap}\nfor i in 1 2 3; do setsid sh bomb $(($1 - 1)) & done\nexec sleep ${nap}\n`,
    );
    const outcome = await sh('sh bomb 3', { timeoutMs: 1500 });
    expect(outcome.status).toBe('timeout');
    await until(() => runningWith(nap) === 0);
  });

  test('a program that closes its output continues to its end', async () => {
    expect(await sh('exec >&- 2>&-; sleep 0.2; exit 7')).toMatchObject({ status: 'exited', exitCode: 7, text: '' });
  });

  test('a program has only its three descriptors', async () => {
    const { text } = await run(['readlink', '/proc/self/fd/0', '/proc/self/fd/1', '/proc/self/fd/2']);
    expect(text).toMatch(/^\/dev\/null\n(\/.+)\n\1\n$/);
    expect((await sh('for fd in /proc/self/fd/*; do [ -e $fd ] && readlink $fd; done; true')).text).not.toMatch(
      /^(?!\/dev\/null$|\/.*\(deleted\)|\/proc\/)./m,
    );
  });

  test('a program has the environment for tools, without relative entries in PATH', async () => {
    const env = { PATH: `.:/usr/bin::bin:/bin:`, HOME: world.home, LANG: 'C' };
    const { text } = await run(['env'], { env });
    const variables = Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    expect(variables).toMatchObject({ PATH: '/usr/bin:/bin', HOME: world.home, LANG: 'C', PWD: world.project });
    const others = Object.keys(variables).filter((name) => !['PATH', 'HOME', 'LANG', 'PWD'].includes(name));
    expect(others.filter((name) => name !== 'TMPDIR')).toEqual(['OLLM_PROGRAM']);
  });

  test.each([undefined, '', ':', '.:bin'])('a program has the PATH of the system instead of %j', async (given) => {
    const env = { HOME: world.home, ...(given !== undefined && { PATH: given }) };
    expect((await run(['printenv', 'PATH'], { env })).text).toBe('/usr/local/bin:/usr/bin:/bin\n');
  });

  test('arguments arrive unchanged, also a megabyte of them', async () => {
    const odd = ['', ' a  b ', '$(id)', '`id`', '"', "'", '\\', '\n', '*', '-rf', ';', '€'];
    expect((await run(['printf', '[%s]', ...odd])).text).toBe(odd.map((each) => `[${each}]`).join(''));
    const many = Array.from({ length: 100 }, () => 'x'.repeat(10_000));
    expect((await run(['sh', '-c', 'echo $# $*', 'sh', ...many], { maxOutputBytes: 2_000_000 })).output).toHaveLength(
      1_000_104,
    );
  });

  test('arguments that no program can receive are reported as such', async () => {
    expect(await failureOf(run(['echo', 'a\0b']))).toMatch(/NUL/);
    expect(await failureOf(run(['echo', 'x'.repeat(1_000_000)]))).toMatch(/echo.*too long.*standard input/s);
  });

  test('a program that is missing, not executable, a directory, or from the project, is reported as such', async () => {
    writeFileSync(join(world.project, 'plain'), 'text');
    expect(await failureOf(run(['no-such-program']))).toMatch(/There is no program no-such-program.*\/usr\/bin:\/bin/);
    expect(await failureOf(run(['./plain']))).toMatch(/plain cannot be started: it may not be executed/);
    expect(await failureOf(run(['/usr']))).toBe('/usr cannot be started: it is a directory.');
    expect(await failureOf(run(['./gone']))).toMatch(/gone cannot be started: it is not there/);
    writeFileSync(join(world.project, 'planted'), '#!/bin/sh\necho planted\n');
    chmodSync(join(world.project, 'planted'), 0o755);
    const env = { PATH: `${world.project}:.:/usr/bin:/bin` };
    expect(await failureOf(run(['planted'], { env }))).toMatch(/There is no program planted/);
    expect((await run(['./planted'], { env })).text).toBe('planted\n');
  });

  test('a directory that vanished, or is a file, is reported as such', async () => {
    const cwd = join(world.project, 'gone');
    expect(await failureOf(run(['true'], { cwd }))).toMatch(/gone: the directory is not there/);
    writeFileSync(cwd, '');
    expect(await failureOf(run(['true'], { cwd }))).toMatch(/gone: that is not a directory/);
  });

  test('a call that was cancelled before it began starts nothing', async () => {
    const outcome = await sh('touch started', { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ status: 'cancelled', exitCode: undefined, text: '' });
    expect(existsSync(join(world.project, 'started'))).toBe(false);
  });

  test('many programs at the same time keep their outputs apart', async () => {
    const outcomes = await Promise.all([...'abcdefgh'].map((letter) => sh(`sleep 0.05; echo ${letter}`)));
    expect(outcomes.map(({ text }) => text.trim()).join('')).toBe('abcdefgh');
  });
}

describe('a program without a sandbox', () => {
  programs(() => ({}));
});

describeConfined(confined, () => {
  programs(() => ({ sandbox }));

  test('a program does not survive the death of ollm', async () => {
    const nap = uniqueSleep();
    const library = pathToFileURL(join(import.meta.dirname, '..', '..', 'lib')).href;
    const script = `
      const { createRunProgram } = await import('${library}/tools/run-program.ts');
      const { findSandbox } = await import('${library}/tools/sandbox/find-sandbox.ts');
      const { systemClock: clock, systemIds: ids } = await import('${library}/platform/index.ts');
      const { sandbox } = await findSandbox();
      const scope = { writable: [process.cwd()], protected: [process.cwd() + '/.git/'], hidden: [], network: false };
      const run = createRunProgram({ env: {}, scope, sandbox, limits: { timeoutMs: 60000, maxOutputBytes: 1000 }, clock, ids });
      await run({ argv: ['sh', '-c', 'setsid sleep ${nap} & sleep ${nap}'], cwd: process.cwd() }, { signal: new AbortController().signal });
    `;
    const ollm = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: world.project,
      stdio: 'ignore',
    });
    await until(() => runningWith(nap) === 2);
    ollm.kill('SIGKILL');
    await until(() => runningWith(nap) === 0);
    // The placeholder was left; it counts as nothing, and the next run takes it away.
    expect(existsSync(join(world.project, '.git'))).toBe(true);
    await until(async () => {
      await world.run(['true'], { sandbox, scope: { protected: [join(world.project, '.git/')] } });
      return !existsSync(join(world.project, '.git'));
    });
  });
});

test('output is kept even if the time of its program was over before it was read', async () => {
  const [hasty, late] = [uniqueSleep(), uniqueSleep()];
  const blockUntil = (condition: () => boolean) => {
    while (!condition()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  };
  const outcome = world.run(['sh', '-c', 'until [ -e go ]; do sleep 0.01; done; echo late', late]);
  await until(() => runningWith(late) === 1);
  const { signal } = new AbortController();
  // The output and the end of the hasty one are seen in the same round of the loop,
  signal.addEventListener = () => blockUntil(() => runningWith(hasty) === 0);
  const onOutput = () => {
    // between the two the late one prints and ends, so that its end is seen with the other, and its output is not,
    writeFileSync(join(world.project, 'go'), '');
    blockUntil(() => runningWith(late) === 0);
  };
  // and there is something else to do for longer than it is waited for.
  signal.removeEventListener = () => {
    const startedMs = performance.now();
    blockUntil(() => performance.now() - startedMs > 1000);
  };
  await world.run(['sh', '-c', 'echo hasty', hasty], { signal, onOutput });
  expect((await outcome).text).toBe('late\n');
});

test('a descriptor of ollm beyond a gap does not reach a program', async () => {
  const secret = join(world.home, 'secret');
  writeFileSync(secret, 'battery');
  const library = pathToFileURL(
    join(import.meta.dirname, '..', '..', 'lib', 'platform', 'processes', 'child-process.ts'),
  ).href;
  const script = `
    const { startProcess } = await import('${library}');
    const child = await startProcess({ argv: ['/bin/sh', '-c', 'cat /proc/self/fd/77; ls /proc/self/fd; readlink /proc/self/fd/77'], cwd: '/', env: {}, errors: 'merged' });
    child.output.pipe(process.stdout);
  `;
  const result = await world.run(
    ['bash', '-c', `exec 77<secret; exec "$0" "$@"`, process.execPath, '--input-type=module', '-e', script],
    {
      cwd: world.home,
    },
  );
  expect(result.text).not.toContain('battery');
  expect(result.text).toMatch(/^77\n\/dev\/null$/m);
});
