// What a turn adds to the tokens that stream through it: the same answer taken from the provider alone and through the
// whole turn, which collects, watches for repetition, stores and hands on. In a short session and in a long one.
import { lastValueFrom, tap } from 'rxjs';
import { silentLog, systemClock } from '../../lib/platform/index.ts';
import type { ModelRequest, Provider, ProviderSignal } from '../../lib/providers/provider.ts';
import type { Session } from '../../lib/session/session.ts';
import { estimateTokens } from '../../lib/tokens/estimate.ts';
import { runTurn } from '../../lib/turn/run-turn.ts';
import type { Case } from '../bench.ts';
import { generatedTurns, seededRandom } from '../generated-session.ts';
import { measure, seconds } from '../measure.ts';
import { newSession, openStore } from '../sessions.ts';

const TOKENS = 4_000;
/** What a request may take: the view of the long session fills it. */
const WINDOW_TOKENS = 32_768;

export const run: Case = async function* ({ quick, seed, pairs, directory, progress }) {
  const tokens = wordsOf(TOKENS, seed);
  const provider = speaking(tokens);
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
  const turnOf = (session: Session) => () => perToken(() => answer(session, provider, directory));
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

async function answer(session: Session, provider: Provider, directory: string): Promise<void> {
  const counter = { count: (text: string) => ({ count: estimateTokens(text), method: 'estimated' as const }) };
  const dependencies = {
    provider,
    model: 'm',
    contextWindow: WINDOW_TOKENS,
    counter,
    store: openStore(directory),
    clock: systemClock,
    log: silentLog,
  };
  const signals = runTurn(session, { text: 'go on' }, dependencies, {});
  let failure: unknown;
  await lastValueFrom(
    signals.pipe(
      tap((signal) => {
        if (signal.type === 'error') failure = signal.error;
      }),
    ),
  );
  if (failure !== undefined) throw failure;
}

async function drain(provider: Provider): Promise<void> {
  const signal = new AbortController().signal;
  for await (const _ of provider.stream({} as ModelRequest, { signal }));
}

/** A provider that says these words, one after the other, as fast as they are taken. */
function speaking(words: readonly string[]): Provider {
  return {
    name: 'speaking',
    capabilities: {
      streaming: true,
      toolCalling: false,
      tokenCounting: false,
      compaction: false,
      maxContextWindow: 200_000,
    },
    models: async () => [{ name: 'm' }],
    async *stream(): AsyncGenerator<ProviderSignal> {
      for (const text of words) yield { type: 'text', text };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** Words that do not repeat themselves: an answer that chants would be ended. */
function wordsOf(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => `${Math.floor(random() * 36 ** 5).toString(36)} `);
}
