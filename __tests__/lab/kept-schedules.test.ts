import fc from 'fast-check';
import { KEPT_SCHEDULES } from './kept-schedules.ts';
import { run } from './schedule.ts';

/** The order in which syncs return differs from run to run. */
const ORDERS = 5;

describe('a store on a disk that forgets, tears and fails keeps its promises', () => {
  it.each(KEPT_SCHEDULES)('$name', async ({ schedule }) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), (scheduler) => run(schedule, scheduler)),
      { numRuns: ORDERS, seed: 1 },
    );
  });
});
