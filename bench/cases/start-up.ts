// How long until the program answers, as whole processes, against a Node that has nothing to do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { PROMPT } from '../loaded-modules.ts';
import { measure } from '../measure.ts';
import { buildProgram, emptyNode } from '../program.ts';
import { sessionsDirectory, writeSessions } from '../sessions.ts';

export const run: Case = async function* ({ quick, pairs, seed, directory, progress }) {
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  mkdirSync(home, { recursive: true });
  const against = (atMost: number) => [{ name: 'node -e 0', goal: { atMost }, run: emptyNode }];

  progress('--version');
  const version = { what: 'ollm --version', unit: 'ms', subject: () => program.run(home, '--version') };
  yield* await measure({ ...version, against: against(1.3) }, pairs * 2);

  const count = quick ? 1_000 : 10_000;
  progress(`writing ${count} sessions`);
  await writeSessions(sessionsDirectory(home), count, { seed });
  progress('list');
  const list = `ollm list, ${count.toLocaleString('en')} sessions`;
  yield* await measure(
    { what: list, unit: 'ms', subject: () => program.run(home, 'list'), against: against(3) },
    pairs,
  );

  progress('list, limited');
  const newest = {
    what: 'ollm list --limit 20',
    unit: 'ms',
    subject: () => program.run(home, 'list', '--limit', '20'),
  };
  yield* await measure({ ...newest, against: against(3) }, pairs);

  progress('repl');
  // In a home of its own: where there are too many sessions, a new one moves the oldest to the trash first.
  const freshHome = join(directory, 'fresh-home');
  mkdirSync(freshHome);
  const repl = () => program.until(PROMPT, freshHome, 'repl', '--new', '--provider', 'offline');
  yield* await measure({ what: 'REPL ready for input', unit: 'ms', subject: repl, against: against(4) }, pairs);
};
