// What a call of a tool adds to a turn, in processor time, and that it adds no more in a long session, whether somebody saves it
// or not.
import type { Session } from '../../lib/session/session.ts';
import type { Case } from '../bench.ts';
import { turnsUpTo } from '../generated-session.ts';
import { measure, type Timed } from '../measure.ts';
import { processorSecondsOf } from '../processor-seconds.ts';
import { answeringTool } from '../scripted-turns.ts';
import { newSession } from '../sessions.ts';
import { programs, toolboxOf, turnWithTool } from '../tool-turns.ts';

/** In one go: so many that a collection more or less is not what is seen. */
const TURNS = 20;
/** With so many the window is full: what a request holds grows no more, and nothing else may. */
const SHORT_EVENTS = 100;
const LONGER_EVENTS = [1_000, 5_000, 50_000] as const;
/** How many times as often as others these are measured: those turns are over soon. */
const MORE_PAIRS = 3;

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const runProgram = programs(directory);
  const toolbox = toolboxOf([answeringTool('small', () => 'ok')]);
  const common = { directory, runProgram, toolbox };
  const call = { name: 'small', args: {} };
  /** What fills the window stands at the end of each session when its turns begin, so that all send the same. */
  const windowful = [...turnsUpTo(SHORT_EVENTS, seed)];

  async function timeTurns(session: Session, { saves, calls = true }: RoundOptions): Promise<number> {
    for (const turn of windowful) await session.append(turn);
    if (saves) await session.save();
    // What filling the window left behind, and a snapshot of all before it, is no turn's to clean up.
    globalThis.gc?.();
    const spent = await processorSecondsOf(async () => {
      for (let count = 0; count < TURNS; count += 1) {
        await turnWithTool({ ...common, session, ...(calls ? { call } : {}) });
        if (saves) await session.save();
      }
    });
    return (1000 * spent) / TURNS;
  }
  let sessions = 0;
  const anew = () => newSession(directory, `session-${++sessions}`);
  const inNewSession =
    (options: RoundOptions): Timed =>
    async () => {
      const session = await anew();
      const time = await timeTurns(session, options);
      await session.close('exit');
      return time;
    };

  for (const saves of [true, false]) {
    const mode = saves ? 'saved after each turn' : 'never saved';
    for (const events of quick ? LONGER_EVENTS.slice(0, 2) : LONGER_EVENTS) {
      const length = `${events.toLocaleString('en')} events`;
      progress(`turns with a call, ${mode}, ${length} before`);
      const long = await anew();
      for (const turn of turnsUpTo(events, seed)) await long.append(turn);
      yield* await measure(
        {
          what: `a turn with a call, in a session of ${length}, ${mode}`,
          unit: 'ms',
          subject: () => timeTurns(long, { saves }),
          against: [
            { name: `the same in one of ${SHORT_EVENTS}`, goal: { atMost: 1.2 }, run: inNewSession({ saves }) },
          ],
        },
        pairs * MORE_PAIRS,
      );
      await long.close('exit');
    }
  }
  progress('turns with and without a call');
  yield* await measure(
    {
      what: `a turn with a call, in a session of ${SHORT_EVENTS} events`,
      unit: 'ms',
      subject: inNewSession({ saves: true }),
      against: [{ name: 'a turn without a call', run: inNewSession({ saves: true, calls: false }) }],
    },
    pairs,
  );
};

interface RoundOptions {
  /** After each turn, as the program does. */
  readonly saves: boolean;
  readonly calls?: boolean;
}
