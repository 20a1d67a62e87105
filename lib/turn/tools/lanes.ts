// Runs work in the order in which it came, a bounded number at a time.

export type Lanes = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function lanes(count: number): Lanes {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
