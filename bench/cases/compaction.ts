// What it takes to let go of the oldest of 10,000 messages, without a model, in processor time: the view is there, the cut is to be
// found.
import { STRATEGIES } from '../../lib/context/compaction/index.ts';
import { planCompaction } from '../../lib/context/compaction/plan.ts';
import type { OllmEventOf } from '../../lib/events/index.ts';
import { type ViewState, viewFold } from '../../lib/projections/view.ts';
import type { Case } from '../bench.ts';
import { generatedEvents } from '../generated-session.ts';
import { measure } from '../measure.ts';
import { processorSeconds } from '../processor-seconds.ts';

type ViewEvent = OllmEventOf<(typeof viewFold.reads)[number]>;

const MESSAGES = 10_000;
/** The design's limit. Milliseconds. */
const LIMIT_MS = 50;

export const run: Case = async function* ({ seed, pairs, progress }) {
  progress(`${MESSAGES.toLocaleString('en')} messages`);
  const view = viewOf(MESSAGES, seed);
  const sizes = { preserveRecentTokens: 4096, targetTokens: 32_768, summaryTokens: 2048 };
  yield* await measure(
    {
      what: `truncate a view of ${MESSAGES.toLocaleString('en')} messages`,
      unit: 'ms',
      subject: () =>
        1000 *
        processorSeconds(() => {
          if (planCompaction(view, STRATEGIES.truncate, sizes) === undefined) throw new Error('nothing would go');
        }),
      against: [{ name: `the limit of ${LIMIT_MS} ms`, goal: { atMost: 1 }, run: () => LIMIT_MS }],
    },
    pairs * 3,
  );
};

function viewOf(messages: number, seed: number): ViewState {
  let state = viewFold.initial();
  let seq = 0;
  let made = 0;
  for (const event of generatedEvents(Number.POSITIVE_INFINITY, { seed })) {
    if (made >= messages) break;
    seq += 1;
    if (!(viewFold.reads as readonly string[]).includes(event.type)) continue;
    if (event.type === 'message.added') made += 1;
    state = viewFold.apply(state, { ...event, seq, ts: '2026-01-01T00:00:00.000Z' } as ViewEvent) as ViewState;
  }
  return state;
}
