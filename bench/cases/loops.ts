// Looking for loops: what one call with its result and one output cost, early and late in a session, in processor time. A fixed
// number of fingerprints is kept, so that the length of the session must not show.
import type { OllmEventOf } from '../../lib/events/index.ts';
import { type LoopState, loopFold } from '../../lib/projections/loop.ts';
import type { Case } from '../bench.ts';
import { generatedEvents } from '../generated-session.ts';
import { limitOf, measure } from '../measure.ts';
import { processorSeconds } from '../processor-seconds.ts';

type LoopEvent = OllmEventOf<(typeof loopFold.reads)[number]>;

/** The design's limit for each. Microseconds. */
const LIMIT_US = 100;
/** A call with a result, or an output, as long as the median of real ones; longer ones cost as much more. */
const SAMPLE = 500;
/**
 * How often the sample is gone over in a run, and before the first that counts: a guard that has just started takes three times
 * as long until its code is warm, and what a limit is held against should stand still.
 */
const ROUNDS = 20;
/** How many times as often as others these are measured: a run is over in a tenth of a second. */
const MORE_PAIRS = 3;

export const run: Case = async function* ({ quick, seed, pairs, progress }) {
  const length = quick ? 20_000 : 200_000;
  progress(`${length.toLocaleString('en')} events before`);
  const events = loopEvents(length, seed);
  const long = events.reduce<LoopState>(
    (state, event) => loopFold.apply(state, event) as LoopState,
    loopFold.initial(),
  );
  const sample = loopEvents(SAMPLE * 12, seed + 1);
  const calls = sample.filter(({ type }) => type.startsWith('tool.')).slice(0, 2 * SAMPLE);
  const outputs = sample.filter((event) => event.type === 'message.added' && event.data.role === 'assistant');

  // A session has its state as long as it is open. With none left, each collection between two runs would take the layout of
  // its objects along, and the code that was made for them.
  const held = new Map<LoopState, LoopState>();
  const each = (state: LoopState, work: readonly LoopEvent[], count: number) => {
    let next = structuredClone(state);
    const spent = processorSeconds(() => {
      for (let round = 0; round < ROUNDS; round++) {
        for (const event of work) next = loopFold.apply(next, event) as LoopState;
      }
    });
    held.set(state, next);
    return (1e6 * spent) / (count * ROUNDS);
  };
  const contests = [
    { what: 'a call and its result', work: calls, count: calls.length / 2 },
    { what: 'an output, similarity included', work: outputs, count: outputs.length },
  ];
  for (const { what, work, count } of contests) {
    progress(what);
    const early = loopFold.initial();
    each(long, work, count);
    yield* await measure(
      {
        what: `${what}, behind ${length.toLocaleString('en')} events`,
        unit: 'µs',
        subject: () => each(long, work, count),
        against: [
          limitOf(LIMIT_US, `the limit of ${LIMIT_US} µs`),
          { name: 'the same at the beginning', goal: { atMost: 1.2 }, run: () => each(early, work, count) },
        ],
      },
      pairs * MORE_PAIRS,
    );
  }
};

function loopEvents(count: number, seed: number): LoopEvent[] {
  let seq = 0;
  return [...generatedEvents(count, { seed })]
    .filter(({ type }) => (loopFold.reads as readonly string[]).includes(type))
    .map((event) => ({ ...event, seq: ++seq, ts: '2026-01-01T00:00:00.000Z' }) as LoopEvent);
}
