// What a turn adds to the tokens that stream through it: the same answer taken from the provider alone and through the
// whole turn, which collects, watches for repetition, stores and hands on. In a short session and in a long one.
import type { ModelRequest, Provider } from '../../lib/providers/provider.ts';
import type { Session } from '../../lib/session/session.ts';
import type { Case } from '../bench.ts';
import { distinctWords, generatedTurns } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';
import { saying, scriptedProvider, turnDependencies, wholeTurn } from '../scripted-turns.ts';
import { newSession } from '../sessions.ts';

const TOKENS = 4_000;

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const tokens = distinctWords(TOKENS, seed);
  const provider = scriptedProvider(saying(...tokens));
  const dependencies = turnDependencies({ directory, provider });
  const events = quick ? 5_000 : 50_000;
  const short = await newSession(directory, 'short');
  const long = await newSession(directory, 'long');
  progress(`${events.toLocaleString('en')} events before`);
  for (const turn of generatedTurns({ seed })) {
    await long.append(turn);
    if (long.writer.head.seq >= events) break;
  }
  // As the program does after its turns: what no window can reach is let go of.
  await long.save();

  const perToken = async (work: () => Promise<unknown>) => (1e6 * (await seconds(work))) / tokens.length;
  const alone = () => perToken(() => drain(provider));
  const turnOf = (session: Session) => () => perToken(() => wholeTurn(session, 'go on', dependencies));
  progress('streaming');
  yield* await measure(
    {
      what: `a streamed token, in a session of ${events.toLocaleString('en')} events`,
      unit: 'µs',
      subject: turnOf(long),
      against: [
        { name: 'the same in a new session', goal: { atMost: 1.2 }, run: turnOf(short) },
        { name: 'the provider alone', run: alone },
      ],
    },
    pairs,
  );
  await short.close('exit');
  await long.close('exit');
};

async function drain(provider: Provider): Promise<void> {
  const signal = new AbortController().signal;
  for await (const _ of provider.stream({} as ModelRequest, { signal }));
}
