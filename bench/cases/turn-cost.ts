// What a turn costs when the session is long: its events appended, the states moved on, the state file saved when it is
// due. Nothing of that may grow with the session, so the curve must be flat. A turn that saves counts as often as turns
// save. Snapshots of the whole session are left out: they grow with it, and become as much rarer as they grow.
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
/** A session that is shorter than this would be another one after all those turns: it is made anew for each few. */
const LONG_ENOUGH = 5_000;
/** Turns in each of them: enough for it to save, in relation to its length. */
const fewTurns = (length: number) => Math.max(5, length / 20);

export const run: Case = async function* ({ quick, seed, directory, progress }) {
  const lengths = quick ? [100, 1_000, 10_000, 50_000] : [100, 1_000, 10_000, 100_000, 1_000_000];
  const turnsMeasured = quick ? 60 : 150;
  // The same turns at each length: what differs is what lies before them.
  const sample = [...take(generatedTurns({ seed: seed + 1 }), turnsMeasured)];
  const turns = generatedTurns({ seed });
  const long = await newSession(directory, 'long');
  const warmUp = await newSession(directory, 'warm-up');
  await measureTurns(directory, warmUp, sample, { plain: [], saving: [] });
  await warmUp.close('exit');

  const costs: { length: number; cost: number; low: number; high: number }[] = [];
  for (const length of lengths) {
    progress(`${length.toLocaleString('en')} events`);
    const times: TurnTimes = { plain: [], saving: [] };
    if (length >= LONG_ENOUGH) {
      await grow(long, turns, length);
      // What growing so fast left behind is not this turn's to clean up.
      globalThis.gc?.();
      await measureTurns(directory, long, sample, times);
    } else {
      const few = fewTurns(length);
      for (let from = 0; from < sample.length; from += few) {
        const short = await newSession(directory, `short-${length}-${from}`);
        await grow(short, generatedTurns({ seed }), length);
        await measureTurns(directory, short, sample.slice(from, from + few), times);
        await short.close('exit');
      }
    }
    costs.push({ length, cost: costAt(times, 0.5), low: costAt(times, 0.25), high: costAt(times, 0.75) });
  }
  await long.close('exit');

  const first = costs[0]!;
  for (const { length, cost, low, high } of costs) {
    const ratio = cost / first.cost;
    const what = `a turn at ${length.toLocaleString('en')} events`;
    yield {
      kind: 'figure',
      what,
      unit: 'ms',
      subject: cost,
      against: `the same turns at ${first.length} events`,
      reference: first.cost,
      ratio,
      quartiles: [low / first.cost, high / first.cost],
      pairs: turnsMeasured,
      goal: GOAL,
      met: meets(ratio, GOAL),
    };
    yield { kind: 'point', of: 'turn cost', x: length, low, y: cost, high };
  }
};

/** Milliseconds of turns that did not write a snapshot, by whether they wrote the state file. */
interface TurnTimes {
  readonly plain: number[];
  readonly saving: number[];
}

async function measureTurns(
  directory: string,
  session: Session,
  sample: readonly (readonly NewOllmEvent[])[],
  times: TurnTimes,
): Promise<void> {
  // A file that is replaced is another file.
  const fileOf = (suffix: string) => statSync(join(directory, session.id + suffix), { throwIfNoEntry: false })?.ino;
  for (const turn of sample) {
    const before = [fileOf('.json'), fileOf('.state.json')];
    const started = performance.now();
    for (const event of turn) await session.append(event);
    await session.save();
    const time = performance.now() - started;
    if (fileOf('.json') === before[0]) (fileOf('.state.json') === before[1] ? times.plain : times.saving).push(time);
  }
}

/** What a turn costs in the long run, if each kind takes what it takes at this quantile. */
function costAt({ plain, saving }: TurnTimes, share: number): number {
  const sum = [plain, saving].reduce((sum, kind) => sum + (kind.length && kind.length * quantile(kind, share)), 0);
  return sum / (plain.length + saving.length);
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
