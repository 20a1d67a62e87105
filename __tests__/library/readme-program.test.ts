// The program of the README, as a reader pastes it into an empty project: against the built package, by its name.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';

const [, PROGRAM = ''] =
  /```ts\n(import \{ openSessionStore \} from 'ollm';\n[\s\S]*?)```/.exec(
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
  ) ?? [];

/** An empty project that has the package, with this program. */
function project(program: string) {
  const tree = createTree({ 'package.json': '{ "type": "module" }', 'program.mts': program });
  mkdirSync(join(tree.root, 'node_modules'));
  symlinkSync(ROOT, join(tree.root, 'node_modules', 'ollm'));
  const run = () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['program.mts'], {
      cwd: tree.root,
      encoding: 'utf8',
    });
    return { stdout, stderr, status };
  };
  return { ...tree, run };
}

it('the program of the README has at most ten lines', () => {
  expect(PROGRAM.trim().split('\n').length).toBeLessThanOrEqual(10);
  expect(PROGRAM).not.toBe('');
});

it('the program of the README keeps the conversation from one run to the next, and prints the next request', () => {
  using tree = project(PROGRAM);
  const first = tree.run();
  expect(first).toMatchObject({ stderr: '', status: 0, stdout: expect.stringMatching(/\nGarden 1\n$/) });
  expect(first.stdout).toMatch(/role: 'system',\n\s+content: 'Be terse\./);
  const second = tree.run();
  expect(second.stdout).toMatch(/sow beans\?[\s\S]*After the last frost\.[\s\S]*sow beans\?[\s\S]*\nGarden 2\n$/);
});

it('the program of the README survives kill -9: the next run has each appended message, and reports no fault', async () => {
  // In place of the last line, and of the close at the end, it waits to be killed.
  const begun = PROGRAM.trim().split('\n').slice(0, -1).join('\n');
  using tree = project(
    `${begun}\nconsole.log('appended');\nawait new Promise((resolve) => setTimeout(resolve, 2 ** 30));\n`,
  );
  const child = spawn(process.execPath, ['program.mts'], { cwd: tree.root, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes('appended')) break;
  }
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  writeFileSync(join(tree.root, 'program.mts'), PROGRAM);
  const { stdout, stderr, status } = tree.run();
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout).toMatch(/sow beans\?[\s\S]*After the last frost\.[\s\S]*sow beans\?[\s\S]*\nGarden 2\n$/);
});
