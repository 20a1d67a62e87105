// How long until the program answers, as whole processes, against a Node that has nothing to do.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { LIST_INDEX } from '../../lib/journal/paths.ts';
import type { Case } from '../bench.ts';
import { PROMPT } from '../loaded-modules.ts';
import { measure } from '../measure.ts';
import { buildProgram, emptyNode } from '../program.ts';
import { sessionsDirectory, writeSessions } from '../sessions.ts';

const SETTLED_MS = 2_500;

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
  // What changed a moment ago is not remembered by a list.
  await setTimeout(SETTLED_MS);
  const list = `ollm list, ${count.toLocaleString('en')} sessions`;
  const contests = [
    { what: list, subject: () => program.run(home, 'list') },
    { what: `${list}, --limit 20`, subject: () => program.run(home, 'list', '--limit', '20') },
    { what: `${list}, --json`, subject: () => program.run(home, 'list', '--json') },
  ];
  for (const contest of contests) {
    progress(contest.what);
    yield* await measure({ ...contest, unit: 'ms', against: against(3) }, pairs);
  }
  progress('list, for the first time');
  const first = () => {
    rmSync(join(sessionsDirectory(home), LIST_INDEX));
    return program.run(home, 'list');
  };
  yield* await measure({ what: `${list}, for the first time`, unit: 'ms', subject: first, against: [floor] }, pairs);

  progress('repl');
  // In a home of its own: where there are too many sessions, a new one moves the oldest to the trash behind its prompt.
  const freshHome = join(directory, 'fresh-home');
  mkdirSync(freshHome);
  const repl = () => program.until(PROMPT, freshHome, 'repl', '--new', '--provider', 'offline');
  yield* await measure({ what: 'REPL ready for input', unit: 'ms', subject: repl, against: against(4) }, pairs);
};
