// What it takes to start a program for a tool, with and without the sandbox, from a process that has done nothing else: starting
// one costs the more, the larger the process is that does it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunProgram } from '../../lib/tools/program.ts';
import { findSandbox } from '../../lib/tools/sandbox/find-sandbox.ts';
import type { Case } from '../bench.ts';
import { measure, seconds } from '../measure.ts';
import { programs } from '../tool-turns.ts';

/** How many times as often as others these are measured: a program is over soon. */
const MORE_PAIRS = 3;

export const run: Case = async function* ({ pairs, directory, progress }) {
  progress('starting programs');
  const start = (runProgram: RunProgram) => async () =>
    1000 * (await seconds(() => runProgram({ argv: ['true'], cwd: directory }, { signal: NEVER })));
  const bare = start(programs(directory));
  const alone = async () => 1000 * (await seconds(() => once(spawn('/bin/true', { stdio: 'ignore' }), 'exit')));
  const floor = { name: 'spawn alone', run: alone };
  yield* await measure(
    { what: 'a program without sandbox', unit: 'ms', subject: bare, against: [floor] },
    pairs * MORE_PAIRS,
  );

  const found = await findSandbox();
  if (!found.available) {
    yield { kind: 'skipped', what: 'a program in the sandbox', reason: found.reason };
    return;
  }
  const confined = start(programs(directory, found.sandbox));
  const without = { name: 'without sandbox', run: bare };
  yield* await measure(
    { what: `a program in ${found.sandbox.name}`, unit: 'ms', subject: confined, against: [floor, without] },
    pairs * MORE_PAIRS,
  );
};

const NEVER = new AbortController().signal;
