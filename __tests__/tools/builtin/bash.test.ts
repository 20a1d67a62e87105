import { existsSync, writeFileSync } from 'node:fs';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { createScene } from './scene.ts';

test('bash runs a line in a shell, and returns its output, also while the line runs', async () => {
  using scene = createScene();
  const plan = await scene.plan('bash', { command: 'echo one; echo two >&2' });
  expect(plan.action).toEqual({
    tool: 'bash',
    summary: 'Run echo one; echo two >&2',
    isReadOnly: false,
    accesses: [],
    command: { kind: 'shell', line: 'echo one; echo two >&2', cwd: scene.root },
    preview: { kind: 'text', text: 'echo one; echo two >&2' },
  });
  const output = await scene.run(plan);
  expect(output.status).toBe('ok');
  expect(Buffer.from(output.content as Uint8Array).toString()).toBe('one\ntwo\n');
  expect(scene.progress.join('')).toBe('one\ntwo\n');
});

test('a plan of bash runs nothing', async () => {
  using scene = createScene();
  await scene.plan('bash', { command: 'touch made' });
  expect(existsSync(scene.at('made'))).toBe(false);
});

test('bash reads no start-up files and no standard input', async () => {
  using scene = createScene();
  for (const name of ['.bashrc', '.bash_profile', '.profile'])
    writeFileSync(`${scene.outside}/${name}`, 'echo started');
  expect(await scene.call('bash', { command: 'cat; echo "$-"' })).toMatch(/^[a-zA-Z]+\n$/);
});

test('bash runs in the directory of the call', async () => {
  using scene = createScene({ files: { 'lib/a.ts': 'x' } });
  expect(await scene.call('bash', { command: 'pwd', cwd: 'lib' })).toBe(`${scene.at('lib')}\n`);
  expect(await scene.failure('bash', { command: 'pwd', cwd: 'nope' })).toBe('nope is not there.');
  expect(await scene.failure('bash', { command: 'pwd', cwd: 'lib/a.ts' })).toMatch(/^lib\/a\.ts is not a directory/);
});

test('bash is started without start-up files, which it would read if its input is a socket', async () => {
  const bash = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path));
  if (bash === undefined) return;
  const seen: (readonly string[])[] = [];
  using scene = createScene({
    runProgram: async ({ argv }) => {
      seen.push(argv);
      const output = new Uint8Array();
      return { status: 'exited', exitCode: 0, killedBy: undefined, output, omittedBytes: 0, durationMs: 1 };
    },
  });
  await scene.call('bash', { command: 'true' });
  expect(seen).toEqual([[bash, '--noprofile', '--norc', '-c', '--', 'true']]);
});

test('bash runs a line that begins like an option', async () => {
  using scene = createScene();
  expect(await scene.call('bash', { command: '-x' })).toMatch(/-x: command not found\n\[Exit code 127\.\]$/);
});

test.each<[command: string, status: string, content: RegExp]>([
  ['exit 3', 'error', /^\(It printed nothing\.\)\n\[Exit code 3\.\]$/],
  ['true', 'ok', /^\(It printed nothing\.\)$/],
  ['printf "no line end"; exit 1', 'error', /^no line end\n\[Exit code 1\.\]$/],
  ['kill -9 $$', 'error', /^\(It printed nothing\.\)\n\[Ended by SIGKILL\.\]$/],
  ['echo "', 'error', /unexpected EOF[\s\S]*\[Exit code \d+\.\]$/],
])('%j ends as %s', async (command, status, content) => {
  using scene = createScene();
  const output = await scene.run(await scene.plan('bash', { command }));
  expect(output.status).toBe(status);
  expect(Buffer.from(output.content as Uint8Array).toString()).toMatch(content);
});

test('bash ends a line that takes too long, and keeps its output', async () => {
  using scene = createScene();
  let seconds = 1;
  const run = async () =>
    scene.run(await scene.plan('bash', { command: 'echo begun; sleep 60', timeout_seconds: seconds }));
  let output = await run();
  // A busy machine may not have come to the first word by then.
  while (scene.progress.length === 0 && seconds < 16) {
    seconds *= 4;
    output = await run();
  }
  expect(output.status).toBe('timeout');
  expect(Buffer.from(output.content as Uint8Array).toString()).toBe(
    `begun\n[Ended after ${seconds} s, with all that it started.]`,
  );
});

test('bash gives no call more time than the setting', async () => {
  const seen: (number | undefined)[] = [];
  using scene = createScene({
    timeoutMs: 5_000,
    runProgram: async ({ timeoutMs }) => {
      seen.push(timeoutMs);
      return {
        status: 'exited',
        exitCode: 0,
        killedBy: undefined,
        output: new Uint8Array(),
        omittedBytes: 0,
        durationMs: 1,
      };
    },
  });
  for (const seconds of [2, 5000]) await scene.call('bash', { command: 'true', timeout_seconds: seconds });
  await scene.call('bash', { command: 'true' });
  expect(seen).toEqual([2_000, 5_000, 5_000]);
});

test('bash ends a line that prints without end, and reports how much is missing', async () => {
  using scene = createScene({ maxOutputBytes: 10_000 });
  const { status, content } = await scene.run(await scene.plan('bash', { command: 'yes' }));
  expect(status).toBe('error');
  expect(Buffer.from(content as Uint8Array).toString()).toMatch(
    /^(y\n)+[\s\S]*printed more than is allowed\. Print less/,
  );
});

test('a stop ends the line soon, and keeps its output', async () => {
  using scene = createScene();
  const stop = new AbortController();
  const running = scene.run(await scene.plan('bash', { command: 'echo begun; sleep 60' }), stop.signal);
  while (scene.progress.length === 0) await new Promise((done) => setTimeout(done, 10));
  stop.abort();
  const { status, content } = await running;
  expect(status).toBe('error');
  expect(Buffer.from(content as Uint8Array).toString()).toBe('begun\n');
});

test('bash returns bytes that are not text as bytes', async () => {
  using scene = createScene();
  const { content } = await scene.run(await scene.plan('bash', { command: 'head -c 5000 /dev/zero; exit 2' }));
  expect(content).toHaveLength(5000);
});

test('bash is replaced by sh on a machine without it', async () => {
  using scene = createScene({
    fileSystem: { ...nodeFileSystem, stat: (path) => (path.endsWith('/bash') ? undefined : nodeFileSystem.stat(path)) },
  });
  expect(await scene.call('bash', { command: 'echo "$0"' })).toBe('/bin/sh\n');
});

test.each<[command: string, words: RegExp]>([
  ['', /`command` must NOT have fewer/],
  [' \n', /^The command is empty/],
  ['echo \0', /NUL character/],
  ['echo \ud800', /not valid Unicode/],
  [`echo ${'x'.repeat(200_000)}`, /too long: write a script/],
])('%j is refused with an explanation', async (command, words) => {
  using scene = createScene();
  expect(await scene.failure('bash', { command })).toMatch(words);
});

test('the summary of bash is one line of bounded length', async () => {
  using scene = createScene();
  const { action } = await scene.plan('bash', { command: `for i in 1 2\ndo\n  echo ${'x'.repeat(500)}\ndone` });
  expect(action.summary).toMatch(/^Run for i in 1 2 do echo x+…$/);
  expect(action.summary.length).toBeLessThan(220);
});
