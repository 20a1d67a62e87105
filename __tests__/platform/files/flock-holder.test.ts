import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flockHolder } from '../../../lib/platform/files/flock-holder.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { createTree } from '../../support/tree.ts';

const test = process.platform === 'linux' ? it : it.skip;

test('the process that holds the flock of a file is found, and none after it ended', async () => {
  using tree = createTree({});
  const [path, other] = ['a', 'b'].map((name) => join(tree.root, name)) as [string, string];
  for (const each of [path, other]) writeFileSync(each, '');
  const holder = (of: string) => flockHolder(nodeFileSystem.stat(of)!);
  expect(holder(path)).toBeUndefined();
  const program = spawn('flock', ['--no-fork', path, 'sh', '-c', 'echo held; read _'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(program.stdout, 'data');
  expect([holder(path), holder(other)]).toEqual([program.pid, undefined]);
  program.stdin.end();
  await once(program, 'exit');
  expect(holder(path)).toBeUndefined();
});
