// The number of kills, of rounds of harm and of sessions at hand in a test. `npm run test:hours` takes TIMES as many as
// `npm run test:long`.
const TIMES = Number(process.env.TIMES ?? 1);

/** `usual` in `npm run test:long`. */
export function times(usual: number): number {
  return Math.ceil(usual * TIMES);
}

/** Whether this is among the examples: of `of` that follow each other one is in `npm run test:long`. */
export function isExample(place: number, of: number): boolean {
  return place % of < TIMES;
}
