// How long until the program answers, as whole processes, against a Node that has nothing to do.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import type { Case } from '../bench.ts';
import { emptyNode } from '../empty-node.ts';
import { PROMPT } from '../loaded-modules.ts';
import { measure } from '../measure.ts';
import { buildProgram } from '../program.ts';
import { sessionsDirectory, writeSessions } from '../sessions.ts';
import { runOnTerminal } from '../terminal-program.ts';

const SETTLED_MS = 2_500;
/** About what a row takes on a terminal of 100 columns, with its colours. */
const BYTES_OF_A_LINE = 131;
const WRITE = 'process.stdout.write(require("node:fs").readFileSync(process.argv[1]))';

export const run: Case = async function* ({ quick, pairs, seed, directory, progress }) {
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  mkdirSync(home, { recursive: true });
  const floor = { name: 'node -e 0', run: emptyNode };
  const against = (atMost: number) => [{ ...floor, goal: { atMost } }];

  progress('--version');
  const version = { what: 'ollm --version', unit: 'ms', subject: () => program.run(home, '--version') };
  yield* await measure({ ...version, against: against(1.3) }, pairs * 2);

  const count = quick ? 1_000 : 10_000;
  progress(`writing ${count} sessions`);
  await writeSessions(sessionsDirectory(home), count, { seed });
  // What changed a moment ago is not remembered by a list, and the first one changes the directory by its index.
  await setTimeout(SETTLED_MS);
  await program.run(home, 'list');
  await setTimeout(SETTLED_MS);
  const list = `ollm list, ${count.toLocaleString('en')} sessions`;
  const contests = [
    { what: list, subject: () => program.run(home, 'list') },
    { what: `${list}, --limit 20`, subject: () => program.run(home, 'list', '--limit', '20') },
    { what: `${list}, --json`, subject: () => program.run(home, 'list', '--json') },
    { what: `${list}, on a terminal`, subject: () => program.runOnTerminal(home, 'list') },
    { what: `${list}, on a terminal, --limit 20`, subject: () => program.runOnTerminal(home, 'list', '--limit', '20') },
    // The last one: those before find the directory at rest.
    {
      what: `${list}, just after one was used`,
      subject: afterChange(sessionsDirectory(home), () => program.run(home, 'list')),
    },
  ];
  for (const contest of contests) {
    progress(contest.what);
    yield* await measure({ ...contest, unit: 'ms', against: against(3) }, pairs);
  }
  progress('what a terminal takes');
  const bytes = join(directory, 'as-many-bytes');
  writeFileSync(bytes, `${'x'.repeat(BYTES_OF_A_LINE - 1)}\n`.repeat(count));
  const written = { what: `as many bytes on a terminal, by Node alone: the floor`, unit: 'ms' };
  const writeBytes = () => runOnTerminal(['-e', WRITE, bytes], { cwd: home, env: process.env });
  yield* await measure({ ...written, subject: writeBytes, against: [floor] }, pairs);

  const firstOf = (what: string, run: () => Promise<number> | number) => ({
    what: `${what}, for the first time`,
    subject() {
      rmSync(join(home, CATALOG_NAME), { force: true });
      return run();
    },
  });
  const firstTimes = [
    firstOf(list, () => program.run(home, 'list')),
    firstOf(`${list}, on a terminal`, () => program.runOnTerminal(home, 'list')),
  ];
  for (const contest of firstTimes) {
    progress(contest.what);
    yield* await measure({ ...contest, unit: 'ms', against: [floor] }, pairs);
  }

  progress('repl');
  // In a home of its own: where there are too many sessions, a new one moves the oldest to the trash behind its prompt.
  const freshHome = join(directory, 'fresh-home');
  mkdirSync(freshHome);
  const repl = () => program.until(PROMPT, freshHome, 'repl', '--new', '--provider', 'offline');
  yield* await measure({ what: 'REPL ready for input', unit: 'ms', subject: repl, against: against(4) }, pairs);
};

/** Whoever opens or saves a session makes files in its directory, so that a list has to look at all names again. */
function afterChange<Result>(directory: string, run: () => Result): () => Result {
  return () => {
    const file = join(directory, 'changed');
    writeFileSync(file, '');
    rmSync(file);
    return run();
  };
}
