// Timing that can be trusted on a shared machine: both sides of a comparison run in turn, several times, and the median
// of the ratios, pair by pair, is what counts. Nothing here asserts a time.

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** Does its work once and says how it went, in the unit of its contest. */
export type Timed = () => Promise<number> | number;

/** What the subject is held against: a floor (the least that could do the job) or a peer. */
export interface Reference {
  readonly name: string;
  readonly run: Timed;
  readonly goal?: Goal | undefined;
}

/** What is to stay below a limit is held against the limit itself, in the unit of its contest. */
export function limitOf(limit: number, name: string): Reference {
  return { name, goal: { atMost: 1 }, run: () => limit };
}

export interface Contest {
  readonly what: string;
  /** Rates end in “/s” and are better high; anything else is better low. */
  readonly unit: string;
  readonly subject: Timed;
  readonly against: readonly Reference[];
}

export interface Figure {
  readonly kind: 'figure';
  readonly what: string;
  readonly unit: string;
  /** Median of the subject, in `unit`. */
  readonly subject: number;
  readonly against: string;
  /** Median of the reference, in `unit`. */
  readonly reference: number;
  /** Median of subject / reference, pair by pair … */
  readonly ratio: number;
  /** … and its quartiles, which say how far to trust it. */
  readonly quartiles: readonly [number, number];
  readonly pairs: number;
  readonly goal: Goal | undefined;
  readonly met: boolean | undefined;
}

/** Something that could not be measured here, and why. */
export interface Skipped {
  readonly kind: 'skipped';
  readonly what: string;
  readonly reason: string;
}

/** A point of a curve, with the quartiles around it. */
export interface Point {
  readonly kind: 'point';
  /** The curve that it belongs to. */
  readonly of: string;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** Something that is counted, not timed: the same on every machine, so that more than the limit is a failure. */
export interface Count {
  readonly kind: 'count';
  readonly what: string;
  readonly unit: string;
  readonly count: number;
  readonly atMost: number;
}

export type Row = Figure | Count | Skipped | Point;

/** Runs the subject and each reference once to warm up, then `pairs` rounds in an order that turns round each time. */
export async function measure(contest: Contest, pairs: number): Promise<Figure[]> {
  const sides = [contest.subject, ...contest.against.map(({ run }) => run)];
  for (const side of sides) await quietly(side);

  const rounds: number[][] = [];
  for (let round = 0; round < pairs; round++) {
    const values: number[] = new Array(sides.length);
    const order = [...sides.keys()];
    if (round % 2 === 1) order.reverse();
    for (const index of order) values[index] = await quietly(sides[index]!);
    rounds.push(values);
  }

  return contest.against.map(({ name, goal }, index) => {
    const ratios = rounds.map((values) => values[0]! / values[index + 1]!);
    const ratio = median(ratios);
    return {
      kind: 'figure',
      what: contest.what,
      unit: contest.unit,
      subject: median(rounds.map((values) => values[0]!)),
      against: name,
      reference: median(rounds.map((values) => values[index + 1]!)),
      ratio,
      quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      pairs,
      goal,
      met: goal && meets(ratio, goal),
    };
  });
}

export function meets(ratio: number, goal: Goal): boolean {
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear between neighbours. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)]!;
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
}

/** Seconds that `work` takes. */
export async function seconds(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/**
 * What one side left to the collector is not the other's to clean up. A collection also makes V8 forget the layouts of objects
 * that are all gone, and the code that was made for them: both sides start less warm than in a process that does one thing.
 */
async function quietly(side: Timed): Promise<number> {
  globalThis.gc?.();
  return side();
}
