// ollm is killed at drawn moments while it starts an agent, talks with it or ends it. The agent leaves a process
// outside of its group. The next run ends all of it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { seededRandom } from '../../lab/random.ts';
import { createRunHome } from '../../runs/run-home.ts';
import { times } from '../../support/times.ts';
import { until } from '../../support/until.ts';

const KILLS = times(7);
/** A start takes about a second. */
const LATEST_MS = 2_500;

it(`no process of an agent is left running, whenever ollm is killed: ${KILLS} times`, async () => {
  const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = seededRandom(seed);
  using runs = createRunHome();
  const { home, project } = runs;
  const left = () => processesMarked(`HOME=${home.path}`).length;
  let withAgent = 0;
  // Each begins a session of the same id.
  const forget = () => {
    for (const name of runs.journals()) rmSync(join(home.sessions, name));
  };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    forget();
    const PATH = runs.agentThat('leaves-a-child-and-waits');
    const child = home.start(['ask', '--agent', 'qwen', 'Do it'], { cwd: project, env: { PATH, HOME: home.path } });
    child.stdin!.end();
    const afterMs = Math.floor(random() * LATEST_MS);
    await wait(afterMs);
    if (left() > 1) withAgent += 1;
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null || child.exitCode !== null);
    forget();
    const { exitCode } = await home.run(['ask', '--agent', 'qwen', 'Do it'], {
      ...{ cwd: project, env: { PATH: runs.agentThat('none'), HOME: home.path } },
    });
    expect({ seed, kill, afterMs, exitCode, left: left() }).toEqual({ seed, kill, afterMs, exitCode: 0, left: 0 });
  }
  expect(withAgent).toBeGreaterThan(0);
});
