// Timing that can be trusted on a shared machine: both sides run in turn, several times, and what counts is the median
// of the ratios, pair by pair. No time is asserted.

/** Does its work once and returns a figure in the unit of its contest. */
export type Timed = () => Promise<number> | number;

/** The ratio at which the goal is met. */
export interface Goal {
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** A floor (the least code that could do the job), or a peer. */
export interface Reference extends Goal {
  readonly name: string;
  /** Undefined: it is not installed. */
  readonly run: Timed | number | undefined;
}

/** What a case yields, to be measured. */
export interface Contest {
  readonly what: string;
  /** `ms` by default. A unit that ends in “/s” is a rate. */
  readonly unit?: string;
  /** A number was measured before: then there is one round. */
  readonly subject: Timed | number;
  /** A time that is felt, or another limit in the unit. */
  readonly limit?: number | undefined;
  readonly against?: readonly Reference[];
  /** How often each side runs: 5 by default. */
  readonly rounds?: number;
}

export interface Figure extends Goal {
  readonly what: string;
  readonly unit: string;
  /** Medians. */
  readonly subject: number;
  readonly reference: number;
  readonly against: string;
  /** Median of subject / reference, pair by pair, and its quartiles. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
}

export interface Skipped {
  readonly what: string;
  readonly skipped: string;
}

export type Row = Figure | Skipped;

/** Runs each side once to warm it, then several rounds in alternating order. */
export async function measure(contest: Contest): Promise<Row[]> {
  const { what, unit = 'ms', limit, against = [], rounds = 5 } = contest;
  const count = typeof contest.subject === 'number' ? 1 : rounds;
  const subject = timed(contest.subject)!;
  const limits = limit === undefined ? [] : [{ name: `the limit of ${limit}`, atMost: 1, run: limit }];
  const references = [...limits, ...against].map(({ run, ...each }) => ({ ...each, run: timed(run) }));
  const sides = [subject, ...references.flatMap(({ run }) => run ?? [])];
  for (const side of sides) await quietly(side);
  const measured: number[][] = [];
  for (let round = 0; round < count; round++) {
    const values: number[] = [];
    const order = [...sides.keys()];
    if (round % 2 === 1) order.reverse();
    for (const index of order) values[index] = await quietly(sides[index]!);
    measured.push(values);
  }
  const valuesOf = (side: Timed) => measured.map((values) => values[sides.indexOf(side)]!);
  return references.map(({ name, run, ...goal }) => {
    if (!run) return { what: `${what}, beside ${name}`, skipped: 'npm ci --prefix bench installs it' };
    const [own, others] = [valuesOf(subject), valuesOf(run)];
    const ratios = own.map((value, index) => value / others[index]!);
    const quartiles = [quantile(ratios, 0.25), quantile(ratios, 0.75)] as const;
    const medians = { subject: quantile(own), reference: quantile(others), ratio: quantile(ratios) };
    return { what, unit, against: name, ...medians, quartiles, ...goal };
  });
}

/** A quantile of these values; the median by default. Linear between neighbours. */
export function quantile(values: readonly number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)]!;
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
}

/** Runs it and returns the time that it took. */
export type Clock = (work: () => unknown) => Promise<number>;

export const milliseconds: Clock = async (work) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

/** For processor time: for work that is compared with a limit while other programs run. */
export const processorMilliseconds: Clock = async (work) => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** The rate of work that does that much each time. */
export function perSecond(amount: number, work: () => unknown, clock: Clock = milliseconds): Timed {
  return async () => (amount * 1000) / (await clock(work));
}

function timed(side: Timed | number | undefined): Timed | undefined {
  return typeof side === 'number' ? () => side : side;
}

/** No side pays for what another one left to the collector. */
async function quietly(side: Timed): Promise<number> {
  globalThis.gc?.();
  return side();
}

/**
 * A package that ollm is measured next to; undefined if `npm ci --prefix bench` has not installed it. The type names
 * the members that the caller uses.
 */
export async function loadPeer<Module>(name: string): Promise<Module | undefined> {
  return import(name).catch(() => undefined);
}
