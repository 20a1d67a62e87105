import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endWithTests } from '../support/end-with-tests.ts';
import { until } from '../support/until.ts';

it('a server that ignores every signal ends when ollm is killed', async () => {
  const orphan = fileURLToPath(new URL('orphan.ts', import.meta.url));
  const child = spawn(process.execPath, [orphan], { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithTests(() => child.kill('SIGKILL'));
  const endedEarly = once(child, 'exit').then(([code]) => {
    throw new Error(`It ended with ${code} before its server had answered.`);
  });
  const [line] = (await Promise.race([once(child.stdout, 'data'), endedEarly])) as [Buffer];
  const pid = Number(line.toString());
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(() => !isAlive(pid));
});

/** A zombie that was not waited for yet is dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
