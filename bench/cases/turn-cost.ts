// What a turn costs when the session is long: its events appended, the states moved on, the state file saved when it is
// due. Nothing of that may grow with the session, so the curve must be flat. A turn that saves counts as often as turns
// save: what is measured are whole rounds, from behind one save up to the next, or a length would seem dear because one more
// save came to lie in it. The lengths take turns, so that a disk that is busy for a while is so for all of them.
// Snapshots of the whole session are left out: they grow with it, and become as much rarer as they grow.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Session } from '../../lib/session/session.ts';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { meets, quantile } from '../measure.ts';
import { processorSecondsOf } from '../processor-seconds.ts';
import { newSession } from '../sessions.ts';

const GOAL = { atMost: 1.2 };
/** Turns between two saves while the session grows to the next length. */
const TURNS_PER_SAVE = 200;
/** A session that is shorter than this would be another one after all those turns: it is made anew for each round. */
const LONG_ENOUGH = 20_000;
/** Turns of each length before the next one has its turn, at least: short sessions have their next save after a few. */
const TURNS_AT_ONCE = 25;
/** The same turns at each length: what differs is what lies before them. */
const SAMPLE_TURNS = 400;
const WARM_UP_EVENTS = 1_000;

export const run: Case = async function* ({ quick, seed, directory, progress }) {
  const lengths = quick ? [100, 1_000, 10_000, 50_000] : [100, 1_000, 10_000, 100_000, 1_000_000];
  const rounds = quick ? 8 : 16;
  const sample = [...take(generatedTurns({ seed: seed + 1 }), SAMPLE_TURNS)];
  const measured = lengths.map((length) => new Length(directory, length, seed));
  const warmUp = new Length(directory, WARM_UP_EVENTS, seed);
  await warmUp.measure(sample, 0);
  await warmUp.close();
  for (let round = 0; round < rounds; round += 1) {
    for (const one of measured) {
      progress(`round ${round + 1} of ${rounds}: ${one.length.toLocaleString('en')} events`);
      await one.measure(sample, round * TURNS_AT_ONCE);
    }
  }
  for (const one of measured) await one.close();

  const [first] = measured;
  for (const by of ['clock', 'processor'] as const) {
    for (const one of measured) {
      const [low, cost, high] = [0.25, 0.5, 0.75].map((share) => one.costAt(share, by)) as [number, number, number];
      const reference = first!.costAt(0.5, by);
      const ratio = cost / reference;
      yield {
        kind: 'figure',
        what: `a turn at ${one.length.toLocaleString('en')} events${by === 'clock' ? '' : ', by processor time'}`,
        unit: 'ms',
        subject: cost,
        against: `the same turns at ${first!.length} events`,
        reference,
        ratio,
        quartiles: [low / reference, high / reference],
        pairs: one.turns,
        goal: GOAL,
        met: meets(ratio, GOAL),
      };
      if (by === 'clock') yield { kind: 'point', of: 'turn cost', x: one.length, low, y: cost, high };
    }
  }
};

/** Milliseconds. */
type TurnTime = Readonly<Record<'clock' | 'processor', number>>;

/** Sessions of one length, and what turns in them took. */
class Length {
  readonly length: number;
  /** In whole rounds from save to save. */
  turns = 0;
  readonly #directory: string;
  readonly #seed: number;
  readonly #source: Generator<NewOllmEvent[]>;
  #session: Session | undefined;
  #saves = 0;
  /** Of turns that wrote no snapshot, by whether they wrote the state file. */
  readonly #plain: TurnTime[] = [];
  readonly #saving: TurnTime[] = [];

  constructor(directory: string, length: number, seed: number) {
    this.#directory = directory;
    this.length = length;
    this.#seed = seed;
    this.#source = generatedTurns({ seed });
  }

  /** Whole rounds with the turns of the sample from that one on. */
  async measure(sample: readonly (readonly NewOllmEvent[])[], from: number): Promise<void> {
    for (let turns = 0; turns < TURNS_AT_ONCE; ) {
      const session = await this.#grown();
      // What growing so fast left behind is not this turn's to clean up.
      globalThis.gc?.();
      for (let saves = this.#saves; saves === this.#saves; turns += 1) {
        await this.#measureTurn(session, sample[(from + turns) % sample.length]!);
      }
      if (this.length < LONG_ENOUGH) await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#session?.close('exit');
    this.#session = undefined;
  }

  /** What a turn costs in the long run, if each kind takes what it takes at this quantile. */
  costAt(share: number, by: keyof TurnTime): number {
    const at = (times: readonly TurnTime[]) =>
      quantile(
        times.map((time) => time[by]),
        share,
      );
    const saves = this.#saves / this.turns;
    return (1 - saves) * at(this.#plain) + saves * at(this.#saving);
  }

  /** A session that has just been saved. */
  async #grown(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    sessions += 1;
    const session = await newSession(this.#directory, `session-${sessions}`);
    const source = this.length < LONG_ENOUGH ? generatedTurns({ seed: this.#seed }) : this.#source;
    for (let made = 1; session.writer.head.seq + 1 < this.length; made++) {
      await session.append(source.next().value!);
      if (made % TURNS_PER_SAVE === 0) await session.save();
    }
    await session.save({ snapshot: 'now' });
    this.#session = session;
    return session;
  }

  async #measureTurn(session: Session, turn: readonly NewOllmEvent[]): Promise<void> {
    // A file that is replaced is another file.
    const fileOf = (suffix: string) =>
      statSync(join(this.#directory, session.id + suffix), { throwIfNoEntry: false })?.ino;
    const [snapshot, state] = [fileOf('.json'), fileOf('.state.json')];
    const started = performance.now();
    const processor = await processorSecondsOf(async () => {
      for (const event of turn) await session.append(event);
      await session.save();
    });
    const time = { clock: performance.now() - started, processor: processor * 1000 };
    const hasSaved = fileOf('.state.json') !== state;
    this.turns += 1;
    if (hasSaved) this.#saves += 1;
    if (fileOf('.json') === snapshot) (hasSaved ? this.#saving : this.#plain).push(time);
  }
}

let sessions = 0;

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  for (const item of items) {
    if (count-- === 0) return;
    yield item;
  }
}
