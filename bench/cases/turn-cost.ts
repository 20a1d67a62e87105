// What a turn costs when the session is long: its events appended, the states moved on, the state file saved when it is
// due. Nothing of that may grow with the session, so the curve must be flat. The mean is taken, because saving is dear and
// seldom. Snapshots of the whole session are left out: they grow with it, and become as much rarer as they grow.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Session } from '../../lib/session/session.ts';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { meets, quantile } from '../measure.ts';
import { newSession } from '../sessions.ts';

const GOAL = { atMost: 1.2 };
/** Turns between two saves while the session grows to the next length. */
const TURNS_PER_SAVE = 200;
/** A session that is shorter than this would be another one after a few turns: it is made anew for each few. */
const LONG_ENOUGH = 5_000;
const FEW_TURNS = 5;

export const run: Case = async function* ({ quick, seed, directory, progress }) {
  const lengths = quick ? [100, 1_000, 10_000, 50_000] : [100, 1_000, 10_000, 100_000, 1_000_000];
  const turnsMeasured = quick ? 60 : 150;
  // The same turns at each length: what differs is what lies before them.
  const sample = [...take(generatedTurns({ seed: seed + 1 }), turnsMeasured)];
  const turns = generatedTurns({ seed });
  const long = await newSession(directory, 'long');
  const warmUp = await newSession(directory, 'warm-up');
  await measureTurns(directory, warmUp, sample);
  await warmUp.close('exit');

  const costs: { length: number; mean: number; low: number; high: number }[] = [];
  for (const length of lengths) {
    progress(`${length.toLocaleString('en')} events`);
    const times: number[] = [];
    if (length >= LONG_ENOUGH) {
      await grow(long, turns, length);
      times.push(...(await measureTurns(directory, long, sample)));
    } else {
      for (let from = 0; from < sample.length; from += FEW_TURNS) {
        const short = await newSession(directory, `short-${length}-${from}`);
        await grow(short, generatedTurns({ seed }), length);
        times.push(...(await measureTurns(directory, short, sample.slice(from, from + FEW_TURNS))));
        await short.close('exit');
      }
    }
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    costs.push({ length, mean, low: quantile(times, 0.25), high: quantile(times, 0.75) });
  }
  await long.close('exit');

  const first = costs[0]!;
  for (const { length, mean, low, high } of costs) {
    const ratio = mean / first.mean;
    const what = `a turn at ${length.toLocaleString('en')} events`;
    yield {
      kind: 'figure',
      what,
      unit: 'ms',
      subject: mean,
      against: `the same turns at ${first.length} events`,
      reference: first.mean,
      ratio,
      quartiles: [low / first.mean, high / first.mean],
      pairs: turnsMeasured,
      goal: GOAL,
      met: meets(ratio, GOAL),
    };
    yield { kind: 'point', of: 'turn cost', x: length, low, y: mean, high };
  }
};

/** Milliseconds of each turn that did not write a snapshot. */
async function measureTurns(
  directory: string,
  session: Session,
  sample: readonly (readonly NewOllmEvent[])[],
): Promise<number[]> {
  const snapshot = () => statSync(join(directory, `${session.id}.json`), { throwIfNoEntry: false })?.ino;
  const times: number[] = [];
  for (const turn of sample) {
    const before = snapshot();
    const started = performance.now();
    for (const event of turn) await session.append(event);
    await session.save();
    const time = performance.now() - started;
    if (snapshot() === before) times.push(time);
  }
  return times;
}

async function grow(session: Session, turns: Generator<NewOllmEvent[]>, length: number): Promise<void> {
  for (let made = 1; session.writer.head.seq + 1 < length; made++) {
    await session.append(turns.next().value!);
    if (made % TURNS_PER_SAVE === 0) await session.save();
  }
  await session.save();
}

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  for (const item of items) {
    if (count-- === 0) return;
    yield item;
  }
}
