// Timing that can be trusted on a shared machine: both sides of a comparison run in turn, several times, and the median
// of the ratios pair by pair is what counts.

export interface Comparison {
  readonly name: string;
  /** What `subject` is held against. */
  readonly against: string;
  readonly unit: string;
  /** Median of the subject, in `unit`. */
  readonly subject: number;
  readonly reference: number;
  /** Median of subject / reference, pair by pair. */
  readonly ratio: number;
  /** What docs/performance.md wants of the ratio. */
  readonly goal: { readonly atLeast: number } | { readonly atMost: number };
  readonly runs: number;
}

export type Timed = () => Promise<number> | number;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs both sides `runs` times in turn, after one warm-up each. Each side returns its own figure. */
export async function compare(
  sides: { readonly name: string; readonly against: string; readonly unit: string; readonly goal: Comparison['goal'] },
  subject: Timed,
  reference: Timed,
  runs: number,
): Promise<Comparison> {
  await subject();
  await reference();
  const pairs: [number, number][] = [];
  for (let run = 0; run < runs; run++) pairs.push([await subject(), await reference()]);
  return {
    ...sides,
    subject: median(pairs.map(([value]) => value)),
    reference: median(pairs.map(([, value]) => value)),
    ratio: median(pairs.map(([value, other]) => value / other)),
    runs,
  };
}

/** Seconds that `work` takes. */
export async function seconds(work: () => Promise<void> | void): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export function meetsGoal({ ratio, goal }: Comparison): boolean {
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
