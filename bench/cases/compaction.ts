// What it takes to let go of the oldest of 10,000 messages, without a model, in processor time: all of it, from the command until
// the view has moved on; and how much of that is finding the cut. The window is so large that the view holds them all.
import { DEFAULT_COMPACTION } from '../../lib/context/compaction/due.ts';
import { planCompaction } from '../../lib/context/compaction/plan.ts';
import { STRATEGIES } from '../../lib/context/compaction/strategy.ts';
import type { Session } from '../../lib/session/session.ts';
import { compact } from '../../lib/turn/compaction/compact.ts';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { limitOf, measure } from '../measure.ts';
import { processorSeconds, processorSecondsOf } from '../processor-seconds.ts';
import { saying, scriptedProvider, turnDependencies } from '../scripted-turns.ts';
import { newSession } from '../sessions.ts';

const MESSAGES = 10_000;
/** The design's limit. Milliseconds. */
const LIMIT_MS = 50;
/** More than they all have together. */
const WINDOW_TOKENS = 1_000_000_000;
/** How many times as often as others these are measured: they are over soon. */
const MORE_PAIRS = 3;

export const run: Case = async function* ({ seed, pairs, directory, progress }) {
  const length = `${MESSAGES.toLocaleString('en')} messages`;
  progress(length);
  const session = await newSession(directory, 'session');
  session.reach(WINDOW_TOKENS);
  await addMessages(session, seed);
  const against = [limitOf(LIMIT_MS, `the limit of ${LIMIT_MS} ms`)];

  const dependencies = {
    ...turnDependencies({ directory, provider: scriptedProvider(saying('')) }),
    contextWindow: WINDOW_TOKENS,
  };
  const request = {
    settings: { ...DEFAULT_COMPACTION, strategy: 'truncate', preserveRecentTokens: 4096 },
    by: 'user',
    signal: new AbortController().signal,
  } as const;
  const truncated = async () => {
    let seq = -1;
    const spent = await processorSecondsOf(async () => {
      const result = await compact(session, dependencies, request);
      if (result.kind === 'compacted') seq = result.seq;
    });
    if (seq < 0) throw new Error('nothing went');
    await session.append({ type: 'compaction.undone', data: { seq } });
    return 1000 * spent;
  };
  yield* await measure(
    { what: `compact ${length} by truncation, from plan to moved view`, unit: 'ms', subject: truncated, against },
    pairs * MORE_PAIRS,
  );

  const sizes = { preserveRecentTokens: 4096, targetTokens: 32_768, summaryTokens: 2048 };
  const cut = () => {
    if (planCompaction(session.states.view, STRATEGIES.truncate, sizes) === undefined) throw new Error('nothing went');
  };
  yield* await measure(
    { what: `the cut alone, of ${length}`, unit: 'ms', subject: () => 1000 * processorSeconds(cut), against },
    pairs * MORE_PAIRS,
  );
  await session.close('exit');
};

async function addMessages(session: Session, seed: number): Promise<void> {
  let messages = 0;
  for (const turn of generatedTurns({ seed })) {
    if (messages >= MESSAGES) return;
    await session.append(turn);
    messages += turn.filter(({ type }) => type === 'message.added').length;
  }
}
