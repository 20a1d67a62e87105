// Taking up a session again, as a whole process up to the prompt: from the state file it must not matter how long the
// session is; without one it costs one replay.
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

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  const sessions = sessionsDirectory(home);
  const length = quick ? 20_000 : 1_000_000;
  progress(`writing ${length.toLocaleString('en')} events`);
  await writeSession('short', SHORT);
  await writeSession('long', length);
  const resume = (id: string) => program.until(PROMPT, home, 'repl', '--resume', id, '--provider', 'offline');
  const events = length.toLocaleString('en');

  progress('with its state file');
  yield* await measure(
    {
      what: `resume at ${events} events`,
      unit: 'ms',
      subject: () => resume('long'),
      against: [{ name: `the same at ${SHORT} events`, goal: { atMost: 1.3 }, run: () => resume('short') }],
    },
    pairs,
  );

  progress('without its state file');
  yield* await measure(
    {
      what: `resume at ${events} events, state file lost`,
      unit: 'ms',
      subject: () => {
        rmSync(join(sessions, 'long.state.json'));
        return resume('long');
      },
      against: [
        {
          name: 'ollm replay --state view',
          goal: { atMost: 1.1 },
          run: () => program.run(home, 'replay', 'long', '--state', 'view'),
        },
      ],
    },
    quick ? 3 : 2,
  );

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
