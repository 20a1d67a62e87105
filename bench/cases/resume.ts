// Taking up a session again, as a whole process up to the prompt. From the state file it must not matter how long the session
// is. Without one it costs one replay: the states that a session keeps have to be made of its journal, which a process of its
// own does here by the library, bounded by the same window, and says nothing. A replay to one of these states stands beside it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { PROMPT } from '../loaded-modules.ts';
import { measure } from '../measure.ts';
import { buildProgram } from '../program.ts';
import { newSession, sessionsDirectory } from '../sessions.ts';

const SHORT = 100;
const TURNS_PER_SAVE = 500;
/** Of a shorter one, most is loading the program, which a replay has no need of. */
const REPLAYED = 100_000;
const MOST_PAIRS = 5;

export const run: Case = async function* ({ quick, seed, pairs, lengths, directory, progress }) {
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  const sessions = sessionsDirectory(home);
  await writeSession('short', SHORT);
  const resume = (id: string) => program.until(PROMPT, home, 'repl', '--resume', id, '--provider', 'offline');

  for (const length of quick ? [1000, ...lengths] : lengths) {
    const events = length.toLocaleString('en');
    progress(`writing ${events} events`);
    const id = `events-${length}`;
    await writeSession(id, length);

    progress(`${events} events with their state file`);
    yield* await measure(
      {
        what: `resume at ${events} events`,
        unit: 'ms',
        subject: () => resume(id),
        against: [{ name: `the same at ${SHORT} events`, goal: { atMost: 1.3 }, run: () => resume('short') }],
      },
      pairs,
    );

    progress(`${events} events without their state file`);
    yield* await measure(
      {
        what: `resume at ${events} events, state file lost`,
        unit: 'ms',
        subject: () => {
          rmSync(join(sessions, `${id}.state.json`), { force: true });
          return resume(id);
        },
        against: [
          {
            name: 'a replay to all states that a session keeps, by the library, as a process',
            goal: length < REPLAYED ? undefined : { atMost: 1.1 },
            run: () => program.replay({ directory: sessions, id, to: 'all' }),
          },
          {
            name: 'a replay to its view alone, by the library, as a process',
            run: () => program.replay({ directory: sessions, id, to: 'view' }),
          },
        ],
      },
      Math.min(pairs, MOST_PAIRS),
    );
  }

  async function writeSession(id: string, count: number): Promise<void> {
    const session = await newSession(sessions, id);
    const turns = generatedTurns({ seed });
    for (let made = 1; session.writer.head.seq < count; made++) {
      await session.append(turns.next().value!);
      if (made % TURNS_PER_SAVE === 0) await session.save();
    }
    await session.close('exit');
  }
};
