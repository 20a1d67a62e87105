// Timing that can be trusted on a shared machine: both sides run in turn, several times, and what counts is the median
// of the ratios, pair by pair. No time is asserted.

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Does its work once and returns a figure in the unit of its contest. */
export type Timed = () => Promise<number> | number;

/** A floor (the least code that could do the job), a peer, or a limit. */
export interface Reference {
  readonly name: string;
  readonly run: Timed;
  readonly goal?: Goal | undefined;
}

export interface Contest {
  readonly what: string;
  /** A unit that ends in “/s” is a rate. */
  readonly unit: string;
  readonly subject: Timed;
  readonly against: readonly Reference[];
}

export interface Figure {
  readonly what: string;
  readonly unit: string;
  /** Medians. */
  readonly subject: number;
  readonly reference: number;
  readonly against: string;
  /** Median of subject / reference, pair by pair, and its quartiles. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  readonly goal: Goal | undefined;
}

export type Row = Figure | { readonly what: string; readonly skipped: string };

/** A limit in the unit of the contest, as something to compare with. */
export function limitOf(limit: number, name = `the limit of ${limit}`): Reference {
  return { name, goal: { atMost: 1 }, run: () => limit };
}

/** Runs each side once to warm it, then `pairs` rounds in alternating order. */
export async function measure({ what, unit, subject, against }: Contest, pairs = 5): Promise<Figure[]> {
  const sides = [subject, ...against.map(({ run }) => run)];
  for (const side of sides) await quietly(side);
  const rounds: number[][] = [];
  for (let round = 0; round < pairs; round++) {
    const values: number[] = [];
    const order = [...sides.keys()];
    if (round % 2 === 1) order.reverse();
    for (const index of order) values[index] = await quietly(sides[index]!);
    rounds.push(values);
  }
  return against.map(({ name, goal }, index) => {
    const ratios = rounds.map((values) => values[0]! / values[index + 1]!);
    return {
      what,
      unit,
      subject: quantile(rounds.map((values) => values[0]!)),
      against: name,
      reference: quantile(rounds.map((values) => values[index + 1]!)),
      ratio: quantile(ratios),
      quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      goal,
    };
  });
}

/** Of these values; the median by default. Linear between neighbours. */
export function quantile(values: readonly number[], share = 0.5): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)]!;
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
}

export async function milliseconds(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Of processor time: for work that is compared with a limit while other programs run. */
export async function processorMilliseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** No side pays for what another one left to the collector. */
async function quietly(side: Timed): Promise<number> {
  globalThis.gc?.();
  return side();
}
