// What a turn costs when the session is long: whole turns by a model that answers at once, and behind each what the program does
// behind it, the state file and the snapshot when they are due. Nothing of that may grow with the session, so the curve must be
// flat. A turn costs its own time and its share of what is saved: the time of a save by the turns since the last one of its
// kind. So each measurement goes on until either has been saved once; the lengths take turns, in an order that turns round, so
// that a machine that is busy for a while is so for all of them.
// A snapshot is due when the journal has grown by a quarter of what the last one covers, and by 64 KiB: from 10,000 events on
// that is hundreds of turns away, and one is made for the sake of its cost, of which each of the turns of that quarter has a share.
// From 256 MiB on, and so at 1,000,000 events, none is made unless it is asked for (lib/session/live-session.ts), and there is
// nothing to have a share in.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Session } from '../../lib/session/session.ts';
import type { Case } from '../bench.ts';
import { generatedTurns, take, turnsUpTo } from '../generated-session.ts';
import { type Figure, type Goal, median, meets, quantile } from '../measure.ts';
import { type PlayTurn, scriptOf, type TurnScript, turnPlayer } from '../played-turns.ts';
import { processorSecondsOf } from '../processor-seconds.ts';
import { newSession } from '../sessions.ts';

const GOAL = { atMost: 1.2 };
/** What the others are held against: that one by the design; and this one, because the shortest sessions save most often. */
const [FIRST, SECOND] = [100, 1_000];
/** Turns between two saves while the session grows to the next length. */
const TURNS_PER_SAVE = 200;
/** A session that is shorter than this would be another one after all those turns: it is made anew for each measurement. */
const LONG_ENOUGH = 20_000;
/** Up to this length the next snapshot is a few turns away. */
const SNAPSHOTS_NEAR = 2_000;
/** From this length on the program makes none by itself. */
const NO_SNAPSHOT_BYTES = 256 * 1024 * 1024;
/** By so much of what the last one covers a longer journal has grown when the next one is due. */
const SNAPSHOT_GROWTH = 0.25;
/** Turns of each length before the next one has its turn, at least: short sessions save after a few. */
const TURNS_AT_ONCE = 25;
/** The same turns at each length: what differs is what lies before them. */
const SAMPLE_TURNS = 400;

export const run: Case = async function* ({ quick, seed, directory, progress }) {
  const lengths = quick ? [FIRST, SECOND, 10_000, 50_000] : [FIRST, SECOND, 10_000, 100_000, 1_000_000];
  const rounds = quick ? 4 : 16;
  const sample = [...take(generatedTurns({ seed: seed + 1 }), SAMPLE_TURNS)].map(scriptOf);
  const windowful = [...turnsUpTo(FIRST, seed)];
  const parts = { directory, seed, windowful, play: turnPlayer(directory) };
  const measured = lengths.map((length) => new Length(length, parts));
  const warmUp = new Length(SECOND, parts);
  await warmUp.measure(sample, 0);
  await warmUp.close();
  for (let round = 0; round < rounds; round += 1) {
    for (const one of round % 2 === 0 ? measured : measured.toReversed()) {
      progress(`round ${round + 1} of ${rounds}: ${one.length.toLocaleString('en')} events`);
      await one.measure(sample, round * TURNS_AT_ONCE);
    }
  }
  for (const one of measured) {
    progress(`until a snapshot: ${one.length.toLocaleString('en')} events`);
    await one.addSnapshots();
    await one.close();
  }

  for (const by of ['clock', 'processor'] as const) {
    const [first, second] = [FIRST, SECOND].map((length) => measured.find((one) => one.length === length)!);
    for (const one of measured) {
      if (one !== first) yield figure(one, first!, by, GOAL);
      if (one !== first && one !== second) yield figure(one, second!, by);
      if (by === 'processor') continue;
      const costs = one.costs(by);
      const [low, high] = [quantile(costs, 0.25), quantile(costs, 0.75)];
      yield { kind: 'point', of: 'turn cost', x: one.length, low, y: median(costs), high };
    }
  }
};

/** Round by round. */
function figure(one: Length, reference: Length, by: keyof Spent, goal?: Goal): Figure {
  const [costs, others] = [one.costs(by), reference.costs(by)];
  const ratios = costs.map((cost, round) => cost / others[round]!);
  const ratio = median(ratios);
  return {
    kind: 'figure',
    what: `a turn at ${one.length.toLocaleString('en')} events${by === 'clock' ? '' : ', by processor time'}`,
    unit: 'ms',
    subject: median(costs),
    against: `the same turns at ${reference.length.toLocaleString('en')} events`,
    reference: median(others),
    ratio,
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    pairs: ratios.length,
    goal,
    met: goal && meets(ratio, goal),
  };
}

/** Milliseconds. */
type Spent = Readonly<Record<'clock' | 'processor', number>>;

const NOTHING: Spent = { clock: 0, processor: 0 };

/** What is saved behind a turn, by the end of its file's name. */
type Saved = '.state.json' | '.json';

interface LengthParts {
  readonly directory: string;
  readonly seed: number;
  /** The turns of the shortest session. They stand at the end of each when its turns begin, so that all send the same. */
  readonly windowful: readonly (readonly NewOllmEvent[])[];
  readonly play: PlayTurn;
}

/** Sessions of one length, and what turns in them took. */
class Length {
  readonly length: number;
  readonly #parts: LengthParts;
  #session: Session | undefined;
  /** What a turn cost in each round, but for snapshots that are far away … */
  readonly #rounds: Spent[] = [];
  /** … and what it costs to make these. */
  #snapshots = NOTHING;
  /** How many turns were played, and by how much the journal grew. */
  readonly #played = { turns: 0, bytes: 0 };

  constructor(length: number, parts: LengthParts) {
    this.length = length;
    this.#parts = parts;
  }

  costs(by: keyof Spent): number[] {
    return this.#rounds.map((spent) => spent[by] + this.#snapshots[by]);
  }

  /** One round, with the turns of the sample from that one on. */
  async measure(sample: readonly TurnScript[], from: number): Promise<void> {
    const scripts = rotated(sample, from);
    const costs: Spent[] = [];
    for (let turns = 0; turns < TURNS_AT_ONCE; ) {
      const session = await this.#saved();
      // What growing so fast left behind is not this turn's to clean up.
      globalThis.gc?.();
      const { played, cost } = await this.#untilSaved(session, scripts);
      turns += played;
      costs.push(cost);
      if (this.length < LONG_ENOUGH) await this.close();
    }
    this.#rounds.push(scaled(costs.reduce(sum), 1 / costs.length));
  }

  /** Where the next snapshot is far away: makes one, and adds to all rounds the share that a turn has in it. */
  async addSnapshots(): Promise<void> {
    if (this.length <= SNAPSHOTS_NEAR) return;
    const session = await this.#saved();
    const { offset } = session.writer.head;
    if (offset >= NO_SNAPSHOT_BYTES) return;
    const spent = await spentOn(() => session.save({ snapshot: 'now' }));
    const turns = (offset * SNAPSHOT_GROWTH) / (this.#played.bytes / this.#played.turns);
    this.#snapshots = scaled(spent, 1 / turns);
  }

  async close(): Promise<void> {
    await this.#session?.close('exit');
    this.#session = undefined;
  }

  /** A session of which all was saved just now that is saved every few turns. */
  async #saved(): Promise<Session> {
    if (this.#session !== undefined) {
      await this.#fill(this.#session);
      return this.#session;
    }
    const { directory, seed, windowful } = this.#parts;
    sessions += 1;
    const session = await newSession(directory, `session-${sessions}`);
    this.#session = session;
    const source = generatedTurns({ seed });
    for (let made = 1; session.writer.head.seq + 1 < this.length - FIRST; made += 1) {
      await session.append(source.next().value!);
      if (made % TURNS_PER_SAVE === 0) await session.save();
    }
    if (this.length < LONG_ENOUGH) {
      for (const turn of windowful) await session.append(turn);
      await session.save({ snapshot: 'now' });
    } else await this.#fill(session);
    return session;
  }

  /** Goes on with the turns that fill the window until the state file is saved. */
  async #fill(session: Session): Promise<void> {
    const { windowful } = this.#parts;
    for (let turns = 0, isSaved = false; turns < windowful.length || !isSaved; turns += 1) {
      await session.append(windowful[turns % windowful.length]!);
      isSaved = (await this.#save(session)).written.has('.state.json');
    }
  }

  /** Plays turns until all was saved once that is saved every few turns, and says what one of them costs in the long run. */
  async #untilSaved(
    session: Session,
    scripts: Generator<TurnScript>,
  ): Promise<{ readonly played: number; readonly cost: Spent }> {
    const awaited = new Set<Saved>(['.state.json', ...(this.length <= SNAPSHOTS_NEAR ? (['.json'] as const) : [])]);
    let played = 0;
    let playing = NOTHING;
    let saving = NOTHING;
    const from = session.writer.head.offset;
    while (awaited.size > 0) {
      const script = scripts.next().value!;
      playing = sum(playing, await spentOn(() => this.#parts.play(session, script)));
      played += 1;
      const { written, spent } = await this.#save(session);
      if ([...written].some((one) => awaited.has(one))) saving = sum(saving, scaled(spent, 1 / played));
      else if (written.size === 0) playing = sum(playing, spent);
      for (const one of written) awaited.delete(one);
    }
    this.#played.turns += played;
    this.#played.bytes += session.writer.head.offset - from;
    return { played, cost: sum(scaled(playing, 1 / played), saving) };
  }

  /** As the program does behind a turn. */
  async #save(session: Session): Promise<{ readonly written: ReadonlySet<Saved>; readonly spent: Spent }> {
    // A file that is replaced is another file.
    const fileOf = (end: Saved) =>
      statSync(join(this.#parts.directory, session.id + end), { throwIfNoEntry: false })?.ino;
    const [states, snapshot] = [fileOf('.state.json'), fileOf('.json')];
    const spent = await spentOn(() => session.save());
    const written = new Set<Saved>();
    if (fileOf('.state.json') !== states) written.add('.state.json');
    if (fileOf('.json') !== snapshot) written.add('.json');
    return { written, spent };
  }
}

let sessions = 0;

async function spentOn(work: () => Promise<void>): Promise<Spent> {
  const started = performance.now();
  const processor = 1000 * (await processorSecondsOf(work));
  return { clock: performance.now() - started, processor };
}

function sum(one: Spent, other: Spent): Spent {
  return { clock: one.clock + other.clock, processor: one.processor + other.processor };
}

function scaled({ clock, processor }: Spent, factor: number): Spent {
  return { clock: clock * factor, processor: processor * factor };
}

/** Over and over, from that one on. */
function* rotated<Item>(items: readonly Item[], from: number): Generator<Item> {
  for (let index = from; ; index += 1) yield items[index % items.length]!;
}
