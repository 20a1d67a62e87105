// Peak memory of reading a large journal, against a small one: nothing may be kept of what was read.
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { measure } from '../measure.ts';
import { buildProgram } from '../program.ts';
import { sessionsDirectory, writeJournal } from '../sessions.ts';

const SMALL_BYTES = 10e6;

const COMMANDS: readonly (readonly string[])[] = [
  ['verify'],
  ['tail', '-n', '20'],
  ['export', '--format', 'jsonl'],
  ['export', '--format', 'md'],
  ['export', '--format', 'html'],
];

/** Holds an outline of the session, which is as long as there are messages and calls: no goal. */
const OUTLINED: readonly string[] = ['export', '--format', 'json'];

export const run: Case = async function* ({ quick, seed, directory, progress }) {
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  const largeBytes = quick ? 100e6 : 1e9;
  progress(`writing journals of ${SMALL_BYTES / 1e6} and ${largeBytes / 1e6} MB`);
  const count = Number.POSITIVE_INFINITY;
  await writeJournal(sessionsDirectory(home), 'small', count, { seed, maxBytes: SMALL_BYTES });
  await writeJournal(sessionsDirectory(home), 'large', count, { seed, maxBytes: largeBytes });

  for (const words of [...COMMANDS, OUTLINED]) {
    const [command, ...options] = words;
    const name = words.join(' ');
    progress(name);
    yield* await measure(
      {
        what: `peak memory of ${name}, ${largeBytes / 1e6} MB`,
        unit: 'MB',
        subject: () => program.peak(home, command!, 'large', ...options),
        against: [
          {
            name: `the same, ${SMALL_BYTES / 1e6} MB`,
            goal: words === OUTLINED ? undefined : { atMost: 1.5 },
            run: () => program.peak(home, command!, 'small', ...options),
          },
        ],
      },
      quick ? 2 : 3,
    );
  }
};
