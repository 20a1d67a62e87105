// Timing that can be trusted on a shared machine: both sides run in turn, several times, and what counts is the median
// of the ratios, pair by pair. No time is asserted.

/** Does its work once and returns a figure in the unit of its contest. */
export type Timed = () => Promise<number> | number;

/**
 * A floor (the least code that could do the job), or a peer; undefined if it is not installed. `goal`: the ratio that a
 * rate has at least, and any other figure at most.
 */
export type Reference = readonly [name: string, side: Timed | number | undefined, goal?: number];

/** A row that a case yields, to be measured. */
export interface Contest {
  readonly what: string;
  /** `ms` by default. A unit that ends in “/s” is a rate. */
  readonly unit?: string;
  /** A number was measured before: then there is one round. */
  readonly ollm: Timed | number;
  /** A time that is felt, or another limit in the unit. */
  readonly limit?: number | undefined;
  readonly against?: readonly Reference[];
  /** How often each side runs: 5 by default. */
  readonly rounds?: number;
}

export interface Figure {
  readonly what: string;
  readonly unit: string;
  /** Medians. */
  readonly ollm: number;
  readonly reference: number;
  readonly against: string;
  /** Median of ollm / reference, pair by pair, and its quartiles. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
  readonly goal?: number | undefined;
}

/** A measurement that is not possible here, or a text that is shown as it is. */
export type Note = { readonly what: string } & ({ readonly skipped: string } | { readonly text: string });

export type Row = Figure | Note;

/** Runs each side once to warm it, then several rounds in alternating order. */
export async function measure({ what, unit = 'ms', limit, ...contest }: Contest): Promise<Row[]> {
  const limits: readonly Reference[] = limit === undefined ? [] : [[`the limit of ${limit}`, limit, 1]];
  const references = [...limits, ...(contest.against ?? [])];
  const rounds = typeof contest.ollm === 'number' ? 1 : (contest.rounds ?? 5);
  const sides = [contest.ollm, ...references.map(([, side]) => side)];
  const run = async (index: number) => {
    const side = sides[index];
    // No side pays for what another one left to the collector.
    globalThis.gc?.();
    return typeof side === 'function' ? side() : Number(side);
  };
  const order = [...sides.keys()].filter((index) => sides[index] !== undefined);
  for (const index of order) await run(index);
  const measured = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const index of round % 2 === 0 ? order : order.toReversed()) measured[index]!.push(await run(index));
  }
  const [own, ...others] = measured;
  return references.map(([against, side, goal], index) => {
    if (side === undefined) return { what: `${what}, beside ${against}`, skipped: 'npm ci --prefix bench installs it' };
    const ratios = own!.map((value, round) => value / others[index]![round]!);
    const quartiles = [quantile(ratios, 0.25), quantile(ratios, 0.75)] as const;
    const medians = { ollm: quantile(own!), reference: quantile(others[index]!), ratio: quantile(ratios) };
    return { what, unit, against, ...medians, quartiles, goal };
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
