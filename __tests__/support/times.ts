// How often a test does what it could do any number of times: kills, rounds of harm, sessions that are at hand.
// `npm run test:hours` does all of it TIMES as often as `npm run test:long`.
const TIMES = Number(process.env.TIMES ?? 1);

/** `usual` in `npm run test:long`. */
export function times(usual: number): number {
  return Math.ceil(usual * TIMES);
}

/** Whether this is among the examples: of `of` that follow each other one is in `npm run test:long`. */
export function isExample(place: number, of: number): boolean {
  return place % of < TIMES;
}
