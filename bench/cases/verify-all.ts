// Verifying all sessions on as many cores as there are, against one core: whole processes, by the clock, because that is what
// a second core is for. On a machine that does other work beside, the other core is not there, and the figure says nothing.
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { type Contest, measure } from '../measure.ts';
import { buildProgram } from '../program.ts';
import { sessionsDirectory, writeJournal } from '../sessions.ts';

const JOURNAL_BYTES = 25e6;

export const run: Case = async function* ({ quick, pairs, seed, directory, progress }) {
  const cores = availableParallelism();
  const journals = quick ? 8 : 40;
  const what = `verify --all, ${journals} journals of ${JOURNAL_BYTES / 1e6} MB, ${cores} cores`;
  const reason = cores < 2 ? 'there is one core' : whyNotOnOneCore();
  if (reason) {
    yield { kind: 'skipped', what, reason };
    return;
  }
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  const sessions = sessionsDirectory(home);
  progress('writing the journals');
  const { path } = await writeJournal(sessions, 'journal', Number.POSITIVE_INFINITY, { seed, maxBytes: JOURNAL_BYTES });
  for (let copy = 1; copy < journals; copy += 1) copyFileSync(path, join(sessions, `copy-${copy}.jsonl`));

  const contest = (name: string, ...options: readonly string[]): Contest => ({
    what: `${what}${name}`,
    unit: 'ms',
    subject: () => program.run(home, 'verify', '--all', ...options),
    against: [{ name: 'one core', run: () => program.runOnOneCore(home, 'verify', '--all', ...options) }],
  });
  progress('verify --all');
  yield* await measure(contest(''), pairs);
  progress('verify --all --deep');
  yield* await measure(contest(', with their contents', '--deep'), quick ? 2 : pairs);
};

function whyNotOnOneCore(): string | undefined {
  return spawnSync('taskset', ['-c', '0', 'true']).status === 0 ? undefined : 'taskset is not there';
}
